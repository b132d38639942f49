import { lazy, Suspense } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { LoadingBlock } from './design/spinner.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { addMessages } from './i18n/index.ts';
import { NotFoundPage } from './pages/not-found.tsx';
import { Shell } from './shell.tsx';

// Each of these pages is a script of its own, so that a visitor loads only the pages that they open.
const BadgesPage = lazy(() => import('./pages/badges/badges-page.tsx'));
const ClaimPage = lazy(() => import('./pages/claim/claim-page.tsx'));
const LandingPage = lazy(() => import('./pages/landing/landing-page.tsx'));
const SignInPage = lazy(async () => {
  const page = await import('./pages/sign-in/sign-in-page.tsx');
  await addMyBadgesMessages();
  return page;
});
const MyBadgesPage = lazy(async () => {
  const page = await import('./pages/my-badges/my-badges-page.tsx');
  await addMyBadgesMessages();
  return page;
});
const ReservePage = lazy(async () => {
  const [page, { RESERVE_MESSAGES }] = await Promise.all([
    import('./pages/reserve/reserve-page.tsx'),
    import('./pages/reserve/reserve-messages.ts'),
  ]);
  await addMessages(RESERVE_MESSAGES);
  return page;
});
const PrintPage = lazy(async () => {
  const [page, { PRINT_MESSAGES }] = await Promise.all([
    import('./pages/print/print-page.tsx'),
    import('./pages/print/print-messages.ts'),
  ]);
  await addMessages(PRINT_MESSAGES);
  return page;
});
const BadgePage = lazy(async () => {
  const [page, { SHOW_MESSAGES }] = await Promise.all([
    import('./pages/badge/badge-page.tsx'),
    import('./pages/badge/show-messages.ts'),
  ]);
  await addMessages(SHOW_MESSAGES);
  return page;
});
const VerifyPage = lazy(async () => {
  const [page, { VERIFY_MESSAGES }] = await Promise.all([
    import('./pages/verify/verify-page.tsx'),
    import('./pages/verify/verify-messages.ts'),
  ]);
  await addMessages(VERIFY_MESSAGES);
  return page;
});
const WalletPage = lazy(() => import('./pages/wallet/wallet-page.tsx'));
const CommunityPage = lazy(() => import('./pages/community/community-page.tsx'));

async function addMyBadgesMessages(): Promise<void> {
  const { MY_BADGES_MESSAGES } = await import('./pages/my-badges/my-badges-messages.ts');
  await addMessages(MY_BADGES_MESSAGES);
}

export function App() {
  const [path] = useLocation();
  return (
    <Shell>
      <ErrorBoundary key={path}>
        <Suspense fallback={<LoadingBlock />}>
          <Switch>
            <Route path="/" component={LandingPage} />
            <Route path="/badges" component={BadgesPage} />
            <Route path="/claim/:tokenId" component={ClaimPage} />
            <Route path="/claim/:tokenId/print" component={PrintPage} />
            <Route path="/reserve/:tokenId" component={ReservePage} />
            <Route path="/sign-in" component={SignInPage} />
            <Route path="/my-badges" component={MyBadgesPage} />
            <Route path="/token/:tokenId" component={BadgePage} />
            <Route path="/verify" component={VerifyPage} />
            <Route path="/wallet/:address" component={WalletPage} />
            <Route path="/community/:communityId" component={CommunityPage} />
            <Route>
              <NotFoundPage />
            </Route>
          </Switch>
        </Suspense>
      </ErrorBoundary>
    </Shell>
  );
}
