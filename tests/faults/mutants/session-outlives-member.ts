import type { Mutant } from './mutant.ts';

export const SESSION_OUTLIVES_MEMBER: Mutant = {
  name: 'a session that outlives its member',
  defect:
    'A process remembers the role that a session has in a community, so a removed member still reads with it.',
  breaks: 'I1',
  // Any fault without kills, because a process that is started again has forgotten the role.
  faultFilter: 'clock two hours off',
  changes: {
    'domain/caller.ts': [
      [
        ': await context.lookUps.findMemberRole({ communityId, ...caller });',
        ': (rememberedRoles[caller.sessionId + communityId] ??= await context.lookUps.findMemberRole({ communityId, ...caller }));',
      ],
      [
        'function roleNotAllowed(',
        'const rememberedRoles: Record<string, Role | null> = {};\n\nfunction roleNotAllowed(',
      ],
    ],
  },
};
