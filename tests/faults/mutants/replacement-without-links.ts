import type { Mutant } from './mutant.ts';

export const REPLACEMENT_WITHOUT_LINKS: Mutant = {
  name: 'a replacement without the links',
  defect: 'A replacement moves everything but the claim links, so codes that were given away work no more.',
  breaks: 'I15',
  changes: { 'storage/token-replacements.ts': [['  moveClaimLinks,\n', '']] },
};
