/** The files and folders that a call's programs name: an approval of the call is bound to them. */
import { ToolFailure } from '../../contract/errors.ts';
import type { Tool } from '../../contract/tool.ts';
import type { UsedPath } from '../../governance/approvals/call-targets.ts';
import { ownCopy } from '../../governance/own-copy.ts';
import { judgeProgram, type ProgramSettings } from './judge-program.ts';

/** A program that may not run names nothing: its call is refused whatever a person says. */
export const createProgramPaths =
  (settings: ProgramSettings) =>
  async (tool: Tool, input: unknown): Promise<readonly UsedPath[]> => {
    if (!tool.programs) return [];
    try {
      const { commandPaths } = await import('../../governance/commands/command-paths.ts');
      const paths: UsedPath[] = [];
      for (const program of tool.programs(ownCopy(input))) {
        paths.push(...commandPaths(await judgeProgram(tool, program, settings), settings.root));
      }
      return paths;
    } catch (error) {
      if (error instanceof ToolFailure) return [];
      throw error;
    }
  };
