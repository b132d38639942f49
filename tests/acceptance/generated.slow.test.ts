import { expect, inject, test } from 'vitest';
import { runGenerated } from './generated/run.ts';
import { operatorOnly } from './operator.ts';

test.skipIf(operatorOnly.isSkipped)(
  `hundreds of generated requests get the documented responses${operatorOnly.titleSuffix}`,
  { timeout: 300_000 },
  async () => {
    const { violations } = await runGenerated({
      baseUrl: inject('baseUrl'),
      adminKey: inject('adminKey') ?? '',
      environment: inject('environment'),
      document: inject('openApi'),
      requests: 1_200,
      seed: 1,
    });
    expect(violations).toEqual([]);
  },
);
