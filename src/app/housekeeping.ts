/** Everything that is done in the background, once a minute: the jobs of all features, in this order. */
import { type Authenticator, recordUses } from '../access/credentials/authentication/service.ts'
import type { Tokens } from '../access/credentials/tokens/service.ts'
import type { DirectorySync } from '../access/sign-in/directory-sync/service.ts'
import type { Config } from '../core/config.ts'
import { refreshSearchTexts } from '../directory/attributes/service.ts'
import { eraseRound } from '../directory/deleted-users/service.ts'
import { releaseManaged } from '../directory/users/service.ts'
import { timestamp } from '../lib/instant.ts'
import { nodeReports } from '../operations/deployment/service.ts'
import { pruneAudit } from '../record/audit/service.ts'
import { compactEvents } from '../record/events/service.ts'
import { pruneMails } from '../record/mails/service.ts'
import { pruneDeliveries } from '../record/webhooks/service.ts'
import { type Jobs, type RoundsOptions, startRounds } from '../store/jobs/rounds.ts'

type Parts = RoundsOptions & {
  authenticator: Pick<Authenticator, 'takeUses'>
  tokens: Pick<Tokens, 'tend'>
  config: Config
  idempotencyHours: number
  eventsDays: number
  auditDays: number
  directorySync?: Pick<DirectorySync, 'tend'>
}

const hourMs = 3_600_000
/** How long the outcome of an import's rows can be looked up. */
const importsMs = 30 * 24 * hourMs

export function startHousekeeping(parts: Parts): { stop(): Promise<void> } {
  return startRounds(jobsOf(parts), parts)
}

function jobsOf(parts: Parts): Jobs {
  const { storage, authenticator, tokens, idempotencyHours, eventsDays, auditDays, directorySync, config, log } = parts
  const nodes = nodeReports({ storage, config, log })
  return {
    starting: [nodes.report],
    reporting: [recordUses(storage, authenticator), nodes.report],
    tending: [
      ({ request }) => releaseManaged(storage, request),
      ({ request }) => refreshSearchTexts(storage, request.now),
      ({ request, mayDelete }) => tokens.tend(request.now, { mayEnd: mayDelete }),
      ({ request }) => storage.change('sign_in_connections.announce_certificates', { everyMs: 24 * hourMs }, request),
      ({ request }) => directorySync?.tend(request.now) ?? Promise.resolve(),
      // Requested erasures continue, whatever the clock says.
      ({ request, everyMs, mayDelete }) => eraseRound(storage, request.now, everyMs, { mayBegin: mayDelete }),
    ],
    deleting: [
      ({ request, everyMs }) => {
        const before = timestamp(request.now - idempotencyHours * hourMs)
        return storage.change('idempotency.prune', { before, everyMs }, request)
      },
      ({ request, everyMs }) => storage.change('sessions.prune', { everyMs }, request),
      ({ request, everyMs }) => storage.change('challenges.prune', { everyMs }, request),
      ({ request, everyMs }) => storage.change('company_sign_ins.prune', { everyMs }, request),
      ({ request }) => storage.change('sign_in_connections.prune', { everyMs: hourMs }, request),
      ({ request, everyMs }) => storage.change('factors.prune', { everyMs }, request),
      ({ request, everyMs }) => storage.change('revocations.prune', { everyMs }, request),
      ({ request, everyMs }) => storage.change('throttles.prune', { everyMs }, request),
      ({ request }) => storage.change('statistics.tidy', { everyMs: hourMs }, request),
      ({ request }) => compactEvents(storage, eventsDays, request),
      ({ request }) => pruneAudit(storage, auditDays, request),
      ({ request }) => pruneDeliveries(storage, request),
      ({ request }) => storage.change('provisioning.prune_rejections', undefined, request),
      ({ request }) => pruneMails(storage, request),
      ({ request }) => storage.change('password_resets.prune', undefined, request),
      ({ request, everyMs }) =>
        storage.change('imports.prune', { before: timestamp(request.now - importsMs), everyMs }, request),
    ],
    leaving: [nodes.removeNode],
  }
}
