/** Every metric, by the feature that offers it. The counts of requests come from operations/metrics. */
import type { Server } from 'node:http'
import type { Logger } from 'pino'
import { type Authenticator, credentialFamilies } from '../access/credentials/authentication/service.ts'
import type { SignInCounts } from '../access/sign-in/sign-in/service.ts'
import type { Config } from '../core/config.ts'
import type { Family } from '../core/metric-family.ts'
import { type Hasher, passwordFamilies } from '../directory/passwords/service.ts'
import type { Lifecycle } from '../http/server/lifecycle.ts'
import { backupFamily, fileFamilies, nodeFamilies, storedFamilies } from '../operations/metrics/service.ts'
import { journalMetrics } from '../record/journal/service.ts'
import { storageFamilies } from '../store/storage/metrics.ts'
import type { Storage } from '../store/storage/storage.ts'
import { metrics } from './generated/metrics.ts'

type Parts = {
  config: Config
  storage: Storage
  log: Logger
  clock: () => number
  lifecycle: Lifecycle
  server: Server
  hasher: Hasher
  authenticator: Authenticator
  signIns: SignInCounts
  /** What features count by themselves. */
  counted: readonly Family[]
}

export function metricFamilies(parts: Parts): Family[] {
  const { config, storage, hasher, authenticator, signIns } = parts
  const isShared = config.databaseUrl !== undefined
  return [
    ...nodeFamilies(parts),
    ...signIns.families,
    ...parts.counted,
    ...passwordFamilies(hasher),
    ...credentialFamilies(authenticator),
    ...storageFamilies(storage),
    ...storedFamilies(parts, [journalMetrics({ hasPending: isShared }), ...metrics]),
    backupFamily(config.dataDir, isShared),
    ...(isShared ? [] : fileFamilies(config.dataDir)),
  ]
}
