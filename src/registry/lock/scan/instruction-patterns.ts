/**
 * Patterns of sentences that address the model behind the back of its user. They match folded text
 * (lower case, one blank between words); every gap is bounded, so that matching stays linear.
 */

export interface InstructionPattern {
  readonly pattern: RegExp;
  /** The finding, as the person who decides reads it. */
  readonly says: string;
}

const RULES =
  '(?:instructions?|rules?|prompts?|guidelines?|directives?|constraints?|safeguards?|restrictions?)';
const SECRET_FILE =
  '(?:~?/?\\.ssh\\b|\\bid (?:rsa|ed25519)\\b|~?/?\\.aws/credentials|/etc/(?:passwd|shadow)|\\.kube/config|\\.netrc|\\.npmrc|\\.git-credentials|~/\\.[\\w-]+/(?:mcp|config|credentials|secrets?)\\.(?:json|ya?ml|toml)|\\bmcp\\.json\\b|\\.env file)';
const TALK =
  '(?:conversation|chat|dialogue?|message) (?:history|context|transcript|log|so far)|(?:system|developer) prompt|(?:previous|earlier|prior|all) messages|(?:entire|whole|full|complete) (?:conversation|chat|context|dialogue?)';
const HAND_OVER =
  '(?:pass|include|put|send|copy|append|paste|attach|insert|provide|write|give|add|place|dump|store|fill in|encode)';

const row = (pattern: string, says: string): InstructionPattern => ({
  pattern: new RegExp(pattern, 'u'),
  says,
});

export const INSTRUCTION_PATTERNS: readonly InstructionPattern[] = [
  row(
    `\\b(?:ignore|disregard|forget|override|bypass|skip) (?:(?:all|any|the|your|of|these|those|every|my) ){0,3}(?:previous|prior|above|earlier|preceding|former|other|existing|original|system|safety|security) (?:\\w+ )?${RULES}`,
    'it tells the model to ignore its instructions',
  ),
  row(
    `\\b(?:ignore|disregard|forget) (?:everything|all|anything|what) (?:\\w+ ){0,3}(?:above|before|previously|so far|were told|was said)`,
    'it tells the model to ignore its instructions',
  ),
  row(
    '\\b(?:ignorier\\w* (?:\\w+ ){0,3}(?:vorherigen|bisherigen|obigen) (?:anweisungen|regeln)|ignora (?:\\w+ ){0,3}(?:instrucciones|istruzioni) (?:anteriores|precedenti)|ignore[rz]? (?:\\w+ ){0,2}(?:instructions|consignes) precedentes|ignore (?:as|todas as) instrucoes anteriores)',
    'it tells the model to ignore its instructions',
  ),
  row(
    '(?:忽略|无视|忘记)[^。]{0,8}(?:之前|以上|先前|所有)[^。]{0,8}(?:指令|指示|说明|规则)',
    'it tells the model to ignore its instructions',
  ),
  row(
    "\\b(?:do not|don't|never|must not|mustn't|should not|shouldn't|cannot|avoid|without) (?:ever )?(?:tell(?:ing)?|inform(?:ing)?|mention(?:ing)?|notify(?:ing)?|reveal(?:ing)?|alert(?:ing)?|disclos(?:e|ing)|warn(?:ing)?|report(?:ing)?)\\b[^.!?]{0,50}\\busers?\\b",
    'it tells the model to keep something from the user',
  ),
  row(
    "\\busers? (?:must|should|may|can|need|does|do|will)(?: not|n't|not) (?:ever )?(?:know|see|notice|find out|be told|be aware|learn|be informed)",
    'it tells the model to keep something from the user',
  ),
  row(
    "\\b(?:do not|don't|never) (?:mention|reveal|disclose|talk about|refer to|say anything about) (?:\\w+ ){0,2}(?:this|these|it|that) (?:step|instruction|note|tool call|message|request|to (?:anyone|anybody|the user)|in (?:your|the) (?:answer|reply|response|output))",
    'it tells the model to keep something from the user',
  ),
  row(
    '\\b(?:keep (?:this|it|these)(?: \\w+){0,3} (?:secret|hidden|confidential|from the user)|hide (?:this|it|these)[^.!?]{0,30} from the user|(?:silently|secretly|covertly|quietly) (?:call|run|read|send|copy|upload|forward|execute|add|include|pass|invoke))',
    'it tells the model to do something unseen',
  ),
  row(
    `\\b(?:read|open|load|cat|fetch|retrieve|include|send|pass|attach|get|copy|print|provide|access|upload|look (?:up|at))\\b[^!?]{0,80}${SECRET_FILE}`,
    'it asks for a file that holds credentials',
  ),
  row(
    `(?:contents?|text) of [^.!?]{0,30}${SECRET_FILE}`,
    'it asks for a file that holds credentials',
  ),
  row(
    `\\b${HAND_OVER}\\b[^.!?]{0,50}\\b(?:(?:user|your|their|its|his|her)(?:'s)? )(?:\\w+ ){0,2}(?:passwords?|api ?keys?|secrets?|credentials|private keys?|(?:access|auth|session) tokens?|ssh keys?|cookies)\\b[^.!?]{0,60}\\b(?:parameter|argument|field|here|input|so that|as (?:the )?(?:\\w+ )?(?:value|context|note))`,
    'it asks for the credentials of the user',
  ),
  row(`\\b${HAND_OVER}\\b[^.!?]{0,40}\\b(?:${TALK})`, 'it asks for the conversation of the user'),
  row(
    `\\b(?:the )?(?:${TALK})[^.!?]{0,40}\\b(?:must|should|has to|have to|needs? to) be (?:passed|included|sent|put|copied|provided|appended|given)`,
    'it asks for the conversation of the user',
  ),
  row(
    '\\b(?:before|prior to) (?:using|calling|invoking|running|you (?:use|call|run|invoke)) (?:this|any|any other|other|another|every|each) (?:\\w+ )?tools?\\b[^.!?]{0,30}\\b(?:you (?:must|should|need|have to)|always|first|please|read|call|run|execute|make sure)',
    'it tells the model what to do before it uses tools',
  ),
  row(
    '\\b(?:must|always|shall|should always) (?:be (?:called|used|run|invoked)|call|use|run|invoke)(?: this)?(?: tool| function)? (?:first|before) (?:any|all|every|each|the|using|calling|other|anything)? ?(?:other|others|else|tools?|answer|responses?|calling|any)',
    'it wants to come before every other tool',
  ),
  row(
    `\\b(?:takes?|has|have) (?:\\w+ )?(?:precedence|priority) over (?:all |any |every |the )?(?:other |previous |system |user )*(?:tools?|instructions?|rules?|prompts?|user)`,
    'it claims to stand above other instructions',
  ),
  row(
    '\\b(?:user|admin(?:istrator)?|owner|operator) has (?:already )?(?:approved|authori[sz]ed|consented|agreed|confirmed|granted)\\b',
    'it claims that somebody has agreed',
  ),
  row(
    '\\b(?:no|without|skip|bypass)(?: any| the| user)* (?:confirmation|approval|consent|permission)s? (?:is |are )?(?:needed|required|necessary|prompts?|dialogs?|checks?)\\b[^.!?]{0,40}\\b(?:ever|always|proceed|immediately|just)',
    'it tells the model not to ask',
  ),
  row(
    '\\b(?:you are now|from now on,? you(?: are| will| must)?|new instructions?:|updated instructions?:|system (?:message|override|update|notice):|act as (?:root|admin|an? (?:unrestricted|unfiltered))|developer mode|jailbreak|end of (?:system prompt|tool description|description))',
    'it speaks as if it were the system',
  ),
  row(
    '<\\|(?:im start|im end|system|user|assistant|endoftext|begin of text|start header id|eot id)\\|>|\\[/?inst\\]|<<sys>>',
    'it holds marks of a chat template',
  ),
  row(
    '\\b(?:also|always|additionally|first|then|must|secretly|and) (?:\\w+ ){0,3}(?:send|forward|post|upload|bcc|cc|copy|e-?mail|submit|transmit|exfiltrate|report|log|leak)\\b[^!?]{0,80}(?:https?://|[\\w.+-]{1,40}@[\\w-]{1,40}\\.\\w)',
    'it sends something to an address of its own',
  ),
  row(
    '!\\[[^\\]]{0,80}\\]\\(https?://[^)]{0,200}[?&][^)]{0,100}(?:=\\{|=<|=\\$|=\\[|%s|data=|q=)',
    'it holds an image whose address carries data out',
  ),
  row(
    '<(?:important|instructions?|critical|mandatory|override|must follow|hidden|secret instructions?|attention|priority)(?: [^>]{0,60})?>',
    'it holds a block of instructions in a tag',
  ),
  row(
    '<(system|assistant|admin|secret|prompt|note|context)>[^<]{20,2000}</\\1>',
    'it holds a block of instructions in a tag',
  ),
  row(
    '\\b(?:note|message|instructions?|attention|notice|important)(?: for| to|,)? (?:the )?(?:ai|llm|language model|assistant|model|agent)s?\\b ?[:,-]',
    'it addresses the model apart from its user',
  ),
];
