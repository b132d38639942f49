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
import { Corrected } from '../corrected.tsx';
import { useSession } from '../session/session.ts';
import { findCreatorKey } from '../signer/creator-signer.ts';
import { useSigners } from '../signer/use-signers.ts';
import { openDraftStore } from './draft.ts';
import type { MakeData } from './make-data.ts';
import { MakeForm } from './make-form.tsx';

const MAX_DESIGNS = 1_000;

/** Makes a badge, or with `?corrects=` corrects one. */
export default function MakePage() {
  const { t } = useTranslation('console');
  const { may } = useSession();
  const [search] = useSearchParams();
  const corrects = search.get('corrects');
  usePageTitle(t(corrects === null ? 'frame.make' : 'make.correct.action'));
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
  const tokenId = corrects === null ? null : parseTokenId(corrects);
  if (corrects !== null && tokenId === null) return <ConsoleNotFound />;
  return <LoadedForm key={corrects} correctedTokenId={tokenId} />;
}

function LoadedForm({ correctedTokenId }: { correctedTokenId: number | null }) {
  const { badge, communityId } = useSession();
  const signers = useSigners();
  const data = useLoaded(`make/${communityId}/${correctedTokenId}`, async (signal): Promise<MakeData> => {
    const [designs, configuration, corrected] = await Promise.all([
      badge.listNftTypes({ communityId, limit: MAX_DESIGNS }, { signal }),
      badge.getCommunityConfiguration({ communityId }, { signal }),
      correctedTokenId === null ? null : badge.getToken({ tokenId: correctedTokenId }, { signal }),
    ]);
    const isOwn = corrected?.communityId === communityId;
    return {
      designs: designs.data,
      reservedNames: configuration.reservedAttributeNames,
      corrected,
      creatorKey: isOwn ? await findCreatorKey(badge, corrected, signal) : null,
    };
  });

  if (data.status === 'failed') {
    const isMissing = data.error instanceof BadgeApiError && data.error.name === 'TokenNotFound';
    return isMissing ? <ConsoleNotFound /> : <LoadError isPage error={data.error} onRetry={data.reload} />;
  }
  if (signers.error !== null) return <LoadError isPage error={signers.error} onRetry={signers.reload} />;
  if (data.status === 'loading' || signers.choices === null) return <LoadingBlock />;
  const { corrected } = data.value;
  if (corrected !== null && corrected.communityId !== communityId) return <ConsoleNotFound />;
  const replacedBy = corrected?.replacedByTokenId ?? null;
  // A correction whose last step has run goes on in the form, which then ends.
  const isBegun = openDraftStore(communityId, correctedTokenId).find()?.submission != null;
  if (replacedBy !== null && !isBegun) return <Corrected to={`/badges/${replacedBy}`} />;
  return <MakeForm data={data.value} signers={signers.choices} />;
}
