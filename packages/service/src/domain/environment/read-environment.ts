import { EIP712_TYPES, type Environment } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { VERSION } from '../../version.ts';
import { hasKeptBadges } from '../kept-addresses.ts';
import { hasMail } from '../mail-service.ts';

// A copy, because the response type has no readonly arrays.
const TYPES = structuredClone(EIP712_TYPES) as unknown as Environment['eip712']['types'];

/** Returns what a client needs to sign messages, the EIP-712 domain and types, and what becomes of mails. */
export function readEnvironment(context: Context): Environment {
  const { environment, domain } = context.settings;
  return {
    version: VERSION,
    environment,
    eip712: { domain, types: TYPES },
    contractWalletChainIds: [...context.chains.keys()],
    hasEns: context.ens !== null,
    mail: describeMail(context),
    hasKeptBadges: hasKeptBadges(context),
  };
}

function describeMail(context: Context): Environment['mail'] {
  if (!hasMail(context)) return 'unavailable';
  return context.mail.kept === null ? 'sent' : 'kept';
}
