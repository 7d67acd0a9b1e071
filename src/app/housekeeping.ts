/** Everything that is done in the background, once a minute: the jobs of all features, and of what this process holds in memory. */
import { type Authenticator, recordUses } from '../access/credentials/authentication/service.ts'
import type { Tokens } from '../access/credentials/tokens/service.ts'
import type { DirectorySync } from '../access/sign-in/directory-sync/service.ts'
import { timestamp } from '../lib/instant.ts'
import { nodeReports } from '../operations/deployment/service.ts'
import { type Jobs, type RoundsOptions, startRounds } from '../store/jobs/rounds.ts'
import { jobs } from './generated/jobs.ts'

type Parts = RoundsOptions & {
  authenticator: Pick<Authenticator, 'takeUses'>
  tokens: Pick<Tokens, 'tend'>
  directorySync?: Pick<DirectorySync, 'tend'>
}

export function startHousekeeping(parts: Parts): { stop(): Promise<void> } {
  return startRounds([ownJobs(parts), ...jobs], parts)
}

function ownJobs({ storage, authenticator, tokens, directorySync, config, log }: Parts): Jobs {
  const nodes = nodeReports({ storage, config, log })
  return {
    starting: [nodes.report],
    reporting: [recordUses(storage, authenticator), nodes.report],
    tending: [
      ({ request, mayDelete }) => tokens.tend(request.now, { mayEnd: mayDelete }),
      ({ request }) => directorySync?.tend(request.now) ?? Promise.resolve(),
    ],
    deleting: [
      ({ request, everyMs }) => {
        const before = timestamp(request.now - config.idempotencyHours * 3_600_000)
        return storage.change('idempotency.prune', { before, everyMs }, request)
      },
    ],
    leaving: [nodes.removeNode],
  }
}
