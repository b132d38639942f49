import { BadgeApiError } from '@badge/sdk';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'wouter';
import { ButtonLink } from '../../design/button.tsx';
import { EmptyState } from '../../design/empty-state.tsx';
import { LoadingBlock } from '../../design/spinner.tsx';
import { LoadError } from '../../load-error.tsx';
import { usePageTitle } from '../../page-title.ts';
import { parseTokenId } from '../../urls.ts';
import { useLoaded } from '../../use-loaded.ts';
import { ConsoleNotFound } from '../console-not-found.tsx';
import { useSession } from '../session/session.ts';
import { useSigners } from '../signer/use-signers.ts';
import { listWaiting } from './copy-token.ts';
import type { MakeData } from './make-data.ts';
import { MakeForm } from './make-form.tsx';

const MAX_DESIGNS = 1_000;

/** Makes a badge, or with `?copyOf=` a corrected copy of one. */
export default function MakePage() {
  const { t } = useTranslation('console');
  const { may } = useSession();
  const [search] = useSearchParams();
  const copyOf = search.get('copyOf');
  usePageTitle(t(copyOf === null ? 'frame.make' : 'make.copy.action'));
  if (!may('editor')) {
    return (
      <EmptyState
        isPage
        title={t('make.notAllowed.title')}
        actions={
          <ButtonLink variant="primary" href="/">
            {t('frame.toBadges')}
          </ButtonLink>
        }
      >
        <p>{t('make.notAllowed.text')}</p>
      </EmptyState>
    );
  }
  const tokenId = copyOf === null ? null : parseTokenId(copyOf);
  if (copyOf !== null && tokenId === null) return <ConsoleNotFound />;
  return <LoadedForm key={copyOf} copiedTokenId={tokenId} />;
}

function LoadedForm({ copiedTokenId }: { copiedTokenId: number | null }) {
  const { badge, communityId } = useSession();
  const signers = useSigners();
  const data = useLoaded(`make/${communityId}/${copiedTokenId}`, async (signal): Promise<MakeData> => {
    const [designs, configuration, copied] = await Promise.all([
      badge.listNftTypes({ communityId, limit: MAX_DESIGNS }, { signal }),
      badge.getCommunityConfiguration({ communityId }, { signal }),
      copiedTokenId === null ? null : readCopied(copiedTokenId, signal),
    ]);
    return { designs: designs.data, reservedNames: configuration.reservedAttributeNames, copied };
  });

  async function readCopied(tokenId: number, signal: AbortSignal): Promise<MakeData['copied']> {
    const token = await badge.getToken({ tokenId }, { signal });
    const { isAllowlistRequired } = token.claimabilityAttributes;
    const waiting = isAllowlistRequired ? await listWaiting(badge, tokenId, signal) : [];
    // Who signed is on the list because a list cannot be empty.
    const creator = token.createdByAddress.toLowerCase();
    const people = waiting.filter((contributor) => contributor.toLowerCase() !== creator);
    return { token, waitingCount: people.length };
  }

  if (data.status === 'failed') {
    const isMissing = data.error instanceof BadgeApiError && data.error.name === 'TokenNotFound';
    return isMissing ? <ConsoleNotFound /> : <LoadError isPage error={data.error} onRetry={data.reload} />;
  }
  if (signers.error !== null) return <LoadError isPage error={signers.error} onRetry={signers.reload} />;
  if (data.status === 'loading' || signers.choices === null) return <LoadingBlock />;
  const { copied } = data.value;
  if (copied !== null && copied.token.communityId !== communityId) return <ConsoleNotFound />;
  return <MakeForm data={data.value} signers={signers.choices} />;
}
