/** Follows the requests to identity providers: outages go to the log, and outcomes to the metrics. */
import { counter, type Family } from '../../../core/metric-family.ts'
import type { OutageReports } from '../../../core/outages.ts'
import type { KindName } from './kinds/kinds.ts'
import { ProtocolFailure, type ProviderCall, type ProviderCalls } from './protocol.ts'

/** `refused`: this user or code is not accepted, which says nothing about others. */
type Outcome = 'succeeded' | 'refused' | 'failed'

export function createProviderCalls(outages: OutageReports): ProviderCalls & { families: Family[] } {
  const none = (): Record<Outcome, number> => ({ succeeded: 0, refused: 0, failed: 0 })
  const counts: Record<KindName, Record<Outcome, number>> = { oidc: none(), github: none(), saml: none(), ldap: none() }

  function note(call: ProviderCall<never>, error?: unknown): void {
    const outcome = outcomeOf(call, error)
    counts[call.kind][outcome]++
    const system = systemOf(call)
    if (outcome === 'failed') outages.failed(system, error)
    // Some refusals are found before the provider is called.
    if (outcome === 'succeeded') outages.succeeded(system)
  }

  return {
    async follow(call, request) {
      const result = await request().catch((error: unknown) => {
        note(call, error)
        throw error
      })
      const fault = call.faultIn?.(result)
      if (fault === undefined) note(call)
      else note({ ...call, isFailure: () => true }, fault)
      return result
    },
    note,
    families: [
      counter(
        'rollbook_provider_requests_total',
        'Requests to identity providers by kind of connection and outcome.',
        () =>
          Object.entries(counts).flatMap(([kind, outcomes]) =>
            Object.entries(outcomes).map(([outcome, value]) => ({ labels: { kind, outcome }, value })),
          ),
        ['kind', 'outcome'],
      ),
    ],
  }
}

function outcomeOf({ isFailure = isUnreachable }: ProviderCall<never>, error: unknown): Outcome {
  if (error === undefined) return 'succeeded'
  return isFailure(error) ? 'failed' : 'refused'
}

export function isUnreachable(error: unknown): boolean {
  return error instanceof ProtocolFailure && error.reason === 'provider_unreachable'
}

function systemOf({ kind, connection, part, server }: ProviderCall<never>) {
  const { connection_id } = connection ?? {}
  return {
    kind: 'identity_provider',
    id: [kind, connection_id, server].filter((one) => one !== undefined).join(' '),
    labels: { kind, ...(connection_id !== undefined && { connection_id }), ...(server !== undefined && { server }) },
    part,
    isTrial: connection?.isActive !== true,
  } as const
}
