import { BadgeApiError } from '@badge/sdk';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useParams } from 'wouter';
import { LoadingBlock } from '../design/spinner.tsx';
import { LoadError } from '../load-error.tsx';
import { parseTokenId } from '../urls.ts';
import { useLoaded } from '../use-loaded.ts';
import { NotFoundPage } from './not-found.tsx';

interface TokenPageProps<T> {
  /** Reads what the page shows. A `TokenNotFound` means that there is no such token. */
  load: (tokenId: number, signal: AbortSignal) => PromiseLike<T>;
  children: (loaded: T) => ReactNode;
}

/** A page about the token whose id is in the path, or a text that says why it cannot be shown. */
export function TokenPage<T>({ load, children }: TokenPageProps<T>) {
  const { tokenId = '' } = useParams();
  const id = parseTokenId(tokenId);
  if (id === null) return <MissingBadge />;
  return (
    <ExistingTokenPage key={id} tokenId={id} load={load}>
      {children}
    </ExistingTokenPage>
  );
}

function ExistingTokenPage<T>({ tokenId, load, children }: TokenPageProps<T> & { tokenId: number }) {
  const loaded = useLoaded(`token/${tokenId}`, (signal) => load(tokenId, signal));
  if (loaded.status === 'loading') return <LoadingBlock />;
  if (loaded.status === 'loaded') return children(loaded.value);
  const { error, reload } = loaded;
  if (error instanceof BadgeApiError && error.name === 'TokenNotFound') return <MissingBadge />;
  return <LoadError isPage error={error} onRetry={reload} />;
}

/** Says that there is no badge with the number in the path. */
export function MissingBadge() {
  const { t } = useTranslation();
  return (
    <NotFoundPage title={t('badge.missing.title')}>
      <p>{t('badge.missing.text')}</p>
    </NotFoundPage>
  );
}
