import type { Mutant } from './mutant.ts';

export const CODES_CHECKED_TOO_EARLY: Mutant = {
  name: 'codes checked too early',
  defect:
    'Whether a code has been used is checked when a claim is accepted, but not when it is settled 100 ms later.',
  breaks: 'I5',
  // Any fault without kills, because two claims with one code must be accepted before one of them is settled.
  faultFilter: 'clock two hours off',
  prepareSql: 'drop index claims_by_contributor',
  changes: {
    'domain/claims/rules.ts': [
      [
        'linkStatus: afterUse(state.linkStatus, isEntryUsed || linkClaimsLeft === 0),',
        "linkStatus: state.linkStatus === 'used' ? 'unused' : state.linkStatus,",
      ],
    ],
    'domain/claims/settle-claims.ts': [
      [
        '  const requests = await lockTokensOfRequests(',
        '  await new Promise((resolve) => setTimeout(resolve, 100));\n  const requests = await lockTokensOfRequests(',
      ],
    ],
  },
};
