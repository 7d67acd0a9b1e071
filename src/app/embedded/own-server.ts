import type { Config } from '../../core/config.ts'

/** Settings of a server of Rollbook's own, which the program's server replaces. */
export const ofOwnServer: readonly (keyof Config)[] = [
  'host',
  'port',
  'upstream',
  'upstreamTimeoutSeconds',
  'headersTimeoutSeconds',
  'requestTimeoutSeconds',
  'keepAliveSeconds',
  'maxConnections',
  'metricsHost',
  'metricsPort',
]
