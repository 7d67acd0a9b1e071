import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import type { AccessRequest, DecideAccessRequest, DecidedAccessRequest } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { confirming } from '../../api/confirm.ts'
import { changedByDecisions } from '../../data/access-requests.ts'
import { detailOf } from '../../ui/problem.tsx'
import { newKey, useSubmit } from '../../ui/use-submit.ts'

export type Refused = { request: AccessRequest; reason: string }
/** What became of the requests so far. */
export type Outcome = { decided: readonly DecidedAccessRequest[]; refused: readonly Refused[] }

/** Decides requests one after the other. One that is refused does not stop the others, and can be tried again. */
export function useDecisions(requests: readonly AccessRequest[], onComplete: (outcome: Outcome) => void) {
  const { t } = useLingui()
  const unreachable = t`The service cannot be reached.`
  const [outcome, setOutcome] = useState<Outcome>({ decided: [], refused: [] })
  const sending = useSubmit(
    async (body: DecideAccessRequest): Promise<Outcome> => {
      const decided = [...outcome.decided]
      const refused: Refused[] = []
      for (const request of requests.filter(({ request_id }) =>
        decided.every((one) => one.request_id !== request_id),
      )) {
        // The same for a repetition after a confirmation.
        const idempotencyKey = newKey()
        try {
          decided.push(await confirming(() => api.accessRequests.decide(request.request_id, body, { idempotencyKey })))
        } catch (error) {
          refused.push({ request, reason: detailOf(error, unreachable) })
        }
      }
      return { decided, refused }
    },
    {
      stale: changedByDecisions,
      onSuccess(next) {
        setOutcome(next)
        onComplete(next)
      },
    },
  )
  return { ...sending, outcome }
}
