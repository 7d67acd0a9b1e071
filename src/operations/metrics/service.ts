/** Metrics that the service measures itself. */
export { backupFamily, fileFamilies } from './file-families.ts'
export { createMetrics } from './metrics.ts'
export { nodeFamilies } from './node-families.ts'
export { openOwnPort } from './own-port.ts'
export { requestTimes } from './request-times.ts'
export { storedFamilies } from './stored-families.ts'
