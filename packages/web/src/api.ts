import { createBadgeClient } from '@badge/sdk';

/** The client of the service that has sent this page. */
export const badge = createBadgeClient({ url: location.origin });
