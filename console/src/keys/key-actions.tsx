import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import type { ApiKey } from 'rollbook/client'
import records from '../ui/records.module.css'
import { remarksOn } from './key-state.ts'

type Props = {
  apiKey: ApiKey
  /** Undefined for a key of a person, who creates another one instead. */
  onRotate?: (() => void) | undefined
  onRevoke: () => void
}

export function KeyActions({ apiKey, onRotate, onRevoke }: Props) {
  const { t } = useLingui()
  const { name } = apiKey
  return (
    <div className={records.actions}>
      {onRotate && !remarksOn(apiKey, Date.now()).includes('ended') && (
        <Button
          size="compact-sm"
          variant="subtle"
          color="var(--rb-accent)"
          aria-label={t`Rotate ${name}`}
          onClick={onRotate}
        >
          <Trans>Rotate</Trans>
        </Button>
      )}
      <Button
        size="compact-sm"
        variant="subtle"
        color="var(--rb-fault)"
        aria-label={t`Revoke ${name}`}
        onClick={onRevoke}
      >
        <Trans>Revoke</Trans>
      </Button>
    </div>
  )
}
