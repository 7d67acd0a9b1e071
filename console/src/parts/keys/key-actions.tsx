import { Trans, useLingui } from '@lingui/react/macro'
import type { ApiKey } from 'rollbook/client'
import { RowAction, RowActions } from '../../ui/row-actions.tsx'
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
    <RowActions>
      {onRotate && !remarksOn(apiKey, Date.now()).includes('ended') && (
        <RowAction label={t`Rotate ${name}`} onClick={onRotate}>
          <Trans>Rotate</Trans>
        </RowAction>
      )}
      <RowAction label={t`Revoke ${name}`} tone="fault" onClick={onRevoke}>
        <Trans>Revoke</Trans>
      </RowAction>
    </RowActions>
  )
}
