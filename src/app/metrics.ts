/** Every metric, by the feature that offers it. The counts of requests come from operations/metrics. */
import type { Server } from 'node:http'
import type { Logger } from 'pino'
import type { Authenticator } from '../access/credentials/authentication/authenticate.ts'
import { credentialFamilies } from '../access/credentials/authentication/metrics.ts'
import { keyMetrics } from '../access/credentials/keys/metrics.ts'
import { syncMetrics } from '../access/sign-in/directory-sync/metrics.ts'
import type { SignInCounts } from '../access/sign-in/sign-in/metrics.ts'
import type { Config } from '../core/config.ts'
import type { Family } from '../core/metric-family.ts'
import { groupMetrics } from '../directory/groups/metrics.ts'
import type { Hasher } from '../directory/passwords/hash.ts'
import { passwordFamilies } from '../directory/passwords/metrics.ts'
import type { Lifecycle } from '../http/server/lifecycle.ts'
import { backupFamily, fileFamilies } from '../operations/metrics/file-families.ts'
import { nodeFamilies } from '../operations/metrics/node-families.ts'
import { storedFamilies } from '../operations/metrics/stored-families.ts'
import { journalMetrics } from '../record/journal/metrics.ts'
import { mailMetrics } from '../record/mails/metrics.ts'
import { factorMetrics } from '../record/statistics/metrics.ts'
import { deliveryMetrics } from '../record/webhooks/metrics.ts'
import { storageFamilies } from '../store/storage/metrics.ts'
import type { Storage } from '../store/storage/storage.ts'

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
    ...storedFamilies(parts, [
      journalMetrics({ hasPending: isShared }),
      keyMetrics,
      groupMetrics,
      factorMetrics,
      deliveryMetrics,
      mailMetrics,
      syncMetrics,
    ]),
    backupFamily(config.dataDir, isShared),
    ...(isShared ? [] : fileFamilies(config.dataDir)),
  ]
}
