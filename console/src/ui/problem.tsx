/** Shows a problem: what went wrong, what to do next, and the request ID to quote when asking for help. */
import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { ConnectionError, RollbookError, UnexpectedAnswerError } from 'rollbook/client'
import { placeOf } from '../api/base.ts'
import { MissingPermission, missingIn, missingText } from './missing-permission.tsx'
import styles from './problem.module.css'

type Props = {
  error: unknown
  retry?: (() => void) | undefined
  /** The heading: `Could not load the users.` */
  title?: string
}

export function Problem({ error, retry, title }: Props) {
  const { t } = useLingui()
  const refusal = error instanceof RollbookError ? error : undefined
  const missing = missingIn(error)
  if (missing !== undefined)
    return (
      <div role="alert">
        <MissingPermission {...missing} />
      </div>
    )
  const beside = refusal?.errors.filter(({ detail }) => !refusal.detail.includes(detail)) ?? []
  const heading = title ?? refusal?.title ?? t`Something went wrong.`
  return (
    <div className={styles.problem} role="alert">
      <p className={styles.title}>{heading}</p>
      <p>{detailOf(error, t`The service cannot be reached. Check the connection; what you typed is still here.`)}</p>
      {refusal !== undefined && beside.length > 0 && (
        <ul>
          {beside.map(({ pointer, detail }) => (
            <li key={pointer + detail}>
              {detail} <code>{pointer}</code>
            </li>
          ))}
        </ul>
      )}
      <p className={styles.foot}>
        {retry && refusal?.status !== 403 && (
          <Button size="xs" variant="default" onClick={retry}>
            <Trans>Try again</Trans>
          </Button>
        )}
        {refusal && (
          <span>
            <a href={`${placeOf('docs/problems')}#${refusal.code}`} target="_blank" rel="noreferrer">
              <Trans>What this means</Trans>
            </a>{' '}
            · <Trans>Request</Trans> <code>{refusal.requestId}</code>
          </span>
        )}
      </p>
    </div>
  )
}

export function detailOf(error: unknown, unreachable: string): string {
  if (error instanceof ConnectionError) return unreachable
  const missing = missingIn(error)
  if (missing !== undefined) return missingText(missing)
  if (error instanceof RollbookError) return error.detail
  if (error instanceof UnexpectedAnswerError) return error.message
  return error instanceof Error ? error.message : String(error)
}
