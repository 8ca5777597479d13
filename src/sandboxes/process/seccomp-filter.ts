/**
 * The system calls a sandboxed program may not make, as the BPF program that bubblewrap loads. They
 * reach what no namespace separates (key rings, vsock), use memory that is not counted (memfd, System V
 * segments), or reach parts of the kernel that ordinary programs never use.
 */
import { ToolFailure } from '../../contract/errors.ts';

/** Per processor: the audit word of the kernel, the numbers of the calls, the number of `socket`. */
interface CallTable {
  readonly arch: number;
  readonly socket: number;
  readonly refused: readonly number[];
}

// In this order: add_key request_key keyctl, memfd_create memfd_secret shmget, bpf perf_event_open
// userfaultfd, io_uring_setup io_uring_enter io_uring_register, ptrace process_vm_readv
// process_vm_writev, kexec_load kexec_file_load, open_by_handle_at, unshare setns, mount umount2
// pivot_root move_mount open_tree fsopen fsmount mount_setattr, syslog.
const TABLES: Readonly<Record<string, CallTable>> = {
  x64: {
    arch: 0xc000003e,
    socket: 41,
    refused: [
      ...[248, 249, 250, 319, 447, 29, 321, 298, 323, 425, 426, 427, 101, 310, 311, 246, 320, 304],
      ...[272, 308, 165, 166, 155, 429, 428, 430, 432, 442, 103],
    ],
  },
  arm64: {
    arch: 0xc00000b7,
    socket: 198,
    refused: [
      ...[217, 218, 219, 279, 447, 194, 280, 241, 282, 425, 426, 427, 117, 270, 271, 104, 294, 265],
      ...[97, 268, 40, 39, 41, 429, 428, 430, 432, 442, 116],
    ],
  },
};

/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. */
const FAMILIES = [1, 2, 10, 16];

const LOAD = 0x20;
const EQUALS = 0x15;
const AT_LEAST = 0x35;
const RETURN = 0x06;

const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const REFUSE = 0x00050000;
const EPERM = 1;
const EAFNOSUPPORT = 97;
const ENOSYS = 38;

/** Of `struct seccomp_data`. */
const NUMBER = 0;
const ARCH = 4;
const FIRST_ARGUMENT = 16;

/** Calls by the x32 ABI carry this bit, so that no number of the lists would match them. */
const X32 = 0x40000000;

type Step = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

const steps = ({ arch, socket, refused }: CallTable): readonly Step[] => [
  [LOAD, 0, 0, ARCH],
  [EQUALS, 1, 0, arch],
  [RETURN, 0, 0, KILL],
  [LOAD, 0, 0, NUMBER],
  [AT_LEAST, 0, 1, X32],
  [RETURN, 0, 0, REFUSE | ENOSYS],
  ...refused.flatMap((number): readonly Step[] => [
    [EQUALS, 0, 1, number],
    [RETURN, 0, 0, REFUSE | EPERM],
  ]),
  [EQUALS, 1, 0, socket],
  [RETURN, 0, 0, ALLOW],
  [LOAD, 0, 0, FIRST_ARGUMENT],
  ...FAMILIES.flatMap((family): readonly Step[] => [
    [EQUALS, 0, 1, family],
    [RETURN, 0, 0, ALLOW],
  ]),
  [RETURN, 0, 0, REFUSE | EAFNOSUPPORT],
];

/** Tells whether the numbers of system calls are known for a processor. */
export const hasSeccompFilter = (processor: string): boolean => Object.hasOwn(TABLES, processor);

/** Makes the filter for a processor as Node names it. Fails with SANDBOX_ERROR for an unknown one. */
export const seccompFilter = (processor: string): Buffer => {
  const table = hasSeccompFilter(processor) ? TABLES[processor] : undefined;
  if (table === undefined) {
    throw new ToolFailure('SANDBOX_ERROR', 'No list of system calls is known for this processor.', {
      suggestions: ['Use the container sandbox on this machine.'],
    });
  }
  return Buffer.concat(
    steps(table).map(([code, ifTrue, ifFalse, value]) => {
      const step = Buffer.alloc(8);
      step.writeUInt16LE(code, 0);
      step.writeUInt8(ifTrue, 2);
      step.writeUInt8(ifFalse, 3);
      step.writeUInt32LE(value >>> 0, 4);
      return step;
    }),
  );
};
