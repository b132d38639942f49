import { lazy, type ReactNode, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { Route, Router, Switch, useLocation } from 'wouter';
import { EmptyState } from '../design/empty-state.tsx';
import { LoadingBlock } from '../design/spinner.tsx';
import { ErrorBoundary } from '../error-boundary.tsx';
import { ConsoleFrame } from './console-frame.tsx';
import { ConsoleNavigation } from './console-navigation.tsx';
import { ConsoleNotFound } from './console-not-found.tsx';
import { MadeNotice } from './made-notice.tsx';
import { useSession } from './session/session.ts';
import { SessionProvider } from './session/session-provider.tsx';
import { askBeforeLeaving } from './use-leave-question.ts';

const BadgesPage = lazy(() => import('./badges/badges-page.tsx'));
const BadgePage = lazy(() => import('./badges/badge-page.tsx'));
const MakePage = lazy(() => import('./make/make-page.tsx'));
const GivePage = lazy(() => import('./give/give-page.tsx'));
const RoomPage = lazy(() => import('./room/room-page.tsx'));
const SettingsPage = lazy(() => import('./settings/settings-page.tsx'));

export function ConsoleApp() {
  const { t } = useTranslation('console');
  return (
    <Router base="/console" aroundNav={askBeforeLeaving(t('leave'))}>
      <SessionProvider>
        <Switch>
          {/* For a projector: it has no header and no navigation. */}
          <Route path="/badges/:tokenId/room/:claimLinkId">
            <Loaded>
              <RoomPage />
            </Loaded>
          </Route>
          <Route>
            <ConsoleFrame navigation={<ConsoleNavigation />}>
              <Pages />
            </ConsoleFrame>
          </Route>
        </Switch>
      </SessionProvider>
    </Router>
  );
}

function Pages() {
  const { t } = useTranslation('console');
  const { communityId, isOperator } = useSession();
  if (communityId === '' && !isOperator) {
    return (
      <EmptyState isPage title={t('noCommunity.title')}>
        <p>{t('noCommunity.text')}</p>
      </EmptyState>
    );
  }
  // Without a community, the operator can only create one.
  if (communityId === '') {
    return (
      <Loaded>
        <SettingsPage />
      </Loaded>
    );
  }
  return (
    <>
      <Route path="/badges/:tokenId/*?">{({ tokenId }) => <MadeNotice key={tokenId} />}</Route>
      <Loaded>
        <Switch>
          <Route path="/" component={BadgesPage} />
          <Route path="/badges" component={BadgesPage} />
          <Route path="/make" component={MakePage} />
          <Route path="/badges/:tokenId/give" component={GivePage} />
          <Route path="/badges/:tokenId/:list?" component={BadgePage} />
          <Route path="/settings/:part?" component={SettingsPage} />
          <Route>
            <ConsoleNotFound />
          </Route>
        </Switch>
      </Loaded>
    </>
  );
}

/** A page whose script may still be loading. Another community is another page. */
function Loaded({ children }: { children: ReactNode }) {
  const [path] = useLocation();
  const { communityId } = useSession();
  return (
    <ErrorBoundary key={`${communityId} ${path}`}>
      <Suspense fallback={<LoadingBlock />}>{children}</Suspense>
    </ErrorBoundary>
  );
}
