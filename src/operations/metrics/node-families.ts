/** This process and its connections. */
import type { Server } from 'node:http'
import { performance } from 'node:perf_hooks'
import type { Config } from '../../core/config.ts'
import { counter, type Family, gauge } from '../../core/metric-family.ts'
import { version } from '../../core/version.ts'
import type { Lifecycle } from '../../http/server/lifecycle.ts'
import type { Storage } from '../../store/storage/storage.ts'

type Node = { config: Config; storage: Pick<Storage, 'isReady'>; lifecycle: Lifecycle; server: Server }

export function nodeFamilies({ config, storage, lifecycle, server }: Node): Family[] {
  const engine = config.databaseUrl === undefined ? 'sqlite' : 'postgresql'
  const build = { version, engine, node: process.versions.node }
  return [
    gauge(
      'rollbook_build_info',
      'Always 1; the labels say what is running.',
      () => [{ labels: build, value: 1 }],
      Object.keys(build),
    ),
    gauge('rollbook_ready', 'Whether the node accepts requests, as /health/ready reports.', () =>
      Number(lifecycle.stage === 'serving' && storage.isReady()),
    ),
    gauge('rollbook_http_connections', 'Open client connections.', () => connectionsOf(server)),
    gauge('rollbook_http_connections_limit', 'Limit of open client connections.', () => config.maxConnections),
    counter(
      'rollbook_event_loop_active_seconds_total',
      'How long the main thread was busy. If this grows by one second per second, the thread is saturated.',
      () => performance.eventLoopUtilization().active / 1000,
    ),
  ]
}

function connectionsOf(server: Server): Promise<number> {
  return new Promise((resolve, reject) =>
    server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  )
}
