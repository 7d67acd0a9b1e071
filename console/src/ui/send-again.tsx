/** For what a job sends and retries: messages and deliveries. */
import { Trans, useLingui } from '@lingui/react/macro'
import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { detailOf } from './problem.tsx'
import { RowAction } from './row-actions.tsx'
import { Instant } from './time.tsx'
import { showToast } from './toasts.tsx'
import { useSubmit } from './use-submit.ts'

type Props = {
  id: string
  /** The recipient or event, for screen readers. */
  name: string
  send: (id: string, options: { idempotencyKey: string }) => Promise<unknown>
  /** What the response makes stale. */
  queryKey: QueryKey
  done: string
  failed: string
}

export function SendAgain({ id, name, send, queryKey, done, failed }: Props) {
  const { t } = useLingui()
  const queries = useQueryClient()
  const { submit, isPending } = useSubmit(
    async (one: string, idempotencyKey) => {
      try {
        return await send(one, { idempotencyKey })
      } catch (error) {
        const detail = detailOf(error, t`The service cannot be reached. Check the connection.`)
        showToast({ kind: 'fault', message: `${failed} ${detail}` })
        throw error
      }
    },
    {
      onSuccess() {
        showToast({ message: done })
        void queries.invalidateQueries({ queryKey })
      },
    },
  )
  return (
    <RowAction label={t`Send again: ${name}`} isPending={isPending} onClick={() => submit(id)}>
      <Trans>Send again</Trans>
    </RowAction>
  )
}

/** Null if there will be none. */
export function NextAttempt({ at }: { at: string | null }) {
  // While a receiver or the mail server fails, one is tried at a time, and the others are late.
  const isLate = at !== null && Date.parse(at) < Date.now()
  return isLate ? <Trans>As soon as possible</Trans> : <Instant value={at} style="until" />
}
