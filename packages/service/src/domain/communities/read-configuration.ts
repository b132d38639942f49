import { type CommunityConfiguration, LIMITS } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { toChecksumAddress } from '../../signatures/address.ts';
import { type Caller, checkMayActFor } from '../caller.ts';
import { toEnvironment } from '../environment/to-environment.ts';
import { readCommunityRow } from './read-community-row.ts';

/** Reads what a community's own software needs to know: how to sign, who its admins are, the limits. */
export async function readConfiguration(
  context: Context,
  caller: Caller,
  communityId: string,
): Promise<CommunityConfiguration> {
  const row = await readCommunityRow(context, communityId);
  checkMayActFor(caller, communityId);
  return {
    communityId,
    ...toEnvironment(context.settings),
    adminAddresses: row.admin_addresses.map(toChecksumAddress),
    limits: LIMITS,
  };
}
