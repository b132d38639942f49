import type { Mutant } from './mutant.ts';

export const GARBAGE_IS_READ: Mutant = {
  name: 'garbage is read',
  defect:
    'After bytes that are not HTTP, the service reads everything that the client sends, without a limit.',
  breaks: 'I13',
  faultFilter: 'endless bytes',
  changes: {
    'http/connections/parser-limits.ts': [
      [
        'const MAX_OTHER_BYTES_PER_SECOND = 64 * 1024 * 1024;',
        'const MAX_OTHER_BYTES_PER_SECOND = Number.POSITIVE_INFINITY;',
      ],
      [
        'if (isBroken) (socket as ParsedSocket)._handle?.readStop();\n      else onExecute?.(result);',
        'onExecute?.(result);',
      ],
    ],
  },
};
