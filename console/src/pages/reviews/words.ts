import { useLingui } from '@lingui/react/macro'
import type { ReviewRow } from 'rollbook/client'

export const kindOfState = { open: 'plain', kept: 'good', removed: 'fault', changed_meanwhile: 'warn' } as const

export function useRowStates(): Record<ReviewRow['state'], string> {
  const { t } = useLingui()
  return { open: t`Not decided`, kept: t`Kept`, removed: t`Removed`, changed_meanwhile: t`Changed meanwhile` }
}

export const nameOfParty = (party: ReviewRow['granted_by']) => party && (party.name || party.id)

/** The user of a row; the id for a user who was erased. */
export const nameOfRow = ({ username, user_id }: ReviewRow) => username || user_id

/** Within a review. */
export function useAccessText(): (row: ReviewRow) => string {
  const { t } = useLingui()
  return ({ source, role, group }) =>
    source === 'role' ? t`Role ${role}` : t`Group ${group ?? ''}, with the role ${role}`
}
