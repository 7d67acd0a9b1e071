/** Webhook endpoints and their deliveries. */

export { startDispatcher } from './dispatch.ts'
export { pruneDeliveries } from './dispatch-prune.ts'
export { deliveryMetrics } from './metrics.ts'
export { eraseAttempts, giveUpWaiting } from './service-deliveries.ts'
