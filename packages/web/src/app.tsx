import { lazy, Suspense } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { LoadingBlock } from './design/spinner.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { NotFoundPage } from './pages/not-found.tsx';
import { Shell } from './shell.tsx';

// Each page is a script of its own, so that a visitor loads only the pages that are opened.
const LandingPage = lazy(() => import('./pages/landing/landing-page.tsx'));

export function App() {
  const [path] = useLocation();
  return (
    <Shell>
      <ErrorBoundary key={path}>
        <Suspense fallback={<LoadingBlock />}>
          <Switch>
            <Route path="/" component={LandingPage} />
            <Route>
              <NotFoundPage />
            </Route>
          </Switch>
        </Suspense>
      </ErrorBoundary>
    </Shell>
  );
}
