import { Plural, useLingui } from '@lingui/react/macro'
import type { Group } from 'rollbook/client'
import { useCanEverywhere } from '../../api/me.ts'
import { formatNumber } from '../../ui/number.ts'
import records from '../../ui/records.module.css'

/** How many members of a group belong elsewhere: nothing if all are its own. A limited viewer does not read from where they are. */
export function Guests({ group: { guest_count = 0 } }: { group: Group }) {
  const isOfAll = useCanEverywhere('groups:read')
  if (guest_count === 0) return null
  return (
    <span>
      {isOfAll ? (
        <Plural value={guest_count} one="# guest from elsewhere" other="# guests from elsewhere" />
      ) : (
        <Plural value={guest_count} one="# guest" other="# guests" />
      )}
    </span>
  )
}

/** The members of a group in a table, with its guests. */
export function MemberCount({ group }: { group: Group }) {
  const { i18n } = useLingui()
  return (
    <div>
      <span className={records.number}>{formatNumber(group.member_count, i18n.locale)}</span>
      {(group.guest_count ?? 0) > 0 && (
        <div className={records.under}>
          <Guests group={group} />
        </div>
      )}
    </div>
  )
}
