/**
 * Announces ended credentials to everything that caches them: the nodes, and through the feed the product's other services.
 * The services of users, sessions and keys decide what ends. Each call belongs to a change and its commit.
 */
export { jobs } from './jobs.ts'
export { recordRevocations, revoke } from './revocations.ts'
export { skipNumbers } from './store.ts'
