/** The filters above the list: one click sets one, another removes it. */
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { useCan } from '../../api/me.ts'
import { useAttributes } from '../../data/attributes.ts'
import { groupQuery } from '../../data/groups.ts'
import { useOrganizationName } from '../../data/organizations.ts'
import { connectionsQuery } from '../../data/provisioning.ts'
import { rolesQuery } from '../../data/roles.ts'
import { type FilterName, type Filters, isAttributeKey, namesOfFilters } from '../../data/search/users.ts'
import { dayOfFrom, dayOfUntil, localDay, untilDay } from '../../ui/days.ts'
import { IconClose, IconDown } from '../../ui/icons.tsx'
import { formatInstant } from '../../ui/instants.ts'
import styles from './filter-chips.module.css'
import type { FilterChange } from './filter-form.tsx'

type Props = { filters: Filters; onChange: (change: Partial<FilterChange>) => void }

const dormantDays = 90

/** The filters that are used most, and behind them any others that are active. */
export function FilterChips({ filters, onChange }: Props) {
  const { t } = useLingui()
  const words = useFilterWords(filters)
  const dormant = dormantBefore()
  const isDormant = filters.last_login_before === dormant
  const clear = (names: readonly FilterName[]) => onChange(Object.fromEntries(names.map((name) => [name, undefined])))
  const names = namesOfFilters(filters).filter((name) => name !== 'q')
  const quick: { name: FilterName; label: string; set: Partial<FilterChange> }[] = [
    { name: 'active', label: t`Disabled`, set: { active: false } },
    { name: 'locked', label: t`Locked`, set: { locked: true } },
    { name: 'invited', label: t`Invited`, set: { invited: true } },
    { name: 'has_password', label: t`No password`, set: { has_password: false, kind: 'person' } },
    {
      name: 'has_signed_in',
      label: t`Never signed in`,
      set: { has_signed_in: false, kind: 'person', last_login_after: undefined, last_login_before: undefined },
    },
    {
      name: 'last_login_before',
      label: t`Last sign-in over 90 days ago`,
      set: { has_signed_in: undefined, last_login_after: undefined, last_login_before: dormant },
    },
  ]
  /** `kind` stays while another of these filters needs it. */
  const off = (name: FilterName) => {
    const rest = quick.filter((one) => one.name !== name && filters[one.name] !== undefined)
    const appliedKind = quick.find((one) => one.name === name)?.set.kind
    const isOver =
      appliedKind !== undefined && appliedKind === filters.kind && !rest.some(({ set }) => set.kind === appliedKind)
    clear(isOver ? [name, 'kind'] : [name])
  }
  const others = names.filter((name) => name !== 'role' && !quick.some((one) => one.name === name))
  return (
    <ul className={styles.chips} aria-label={t`Filters`}>
      {quick.map(({ name, label, set }) => {
        const isOn = filters[name] !== undefined
        const word = isOn && !(name === 'last_login_before' && isDormant) ? words(name, filters) : label
        return (
          <li key={name}>
            <Chip isOn={isOn} word={word} onClick={() => (isOn ? off(name) : onChange(set))} />
          </li>
        )
      })}
      <li>
        <RoleChip role={filters.role} onChange={(role) => onChange({ role })} />
      </li>
      {others.map((name) => (
        <li key={name}>
          <Chip isOn word={words(name, filters)} onClick={() => clear([name])} />
        </li>
      ))}
      {names.length > 1 && (
        <li>
          <button type="button" className={styles.clear} onClick={() => clear(names)}>
            <Trans>Clear filters</Trans>
          </button>
        </li>
      )}
    </ul>
  )
}

/** The same button when it is on, so that it keeps the focus. */
function Chip({ isOn, word, onClick }: { isOn: boolean; word: string; onClick: () => void }) {
  const { t } = useLingui()
  return (
    <button
      type="button"
      className={styles.chip}
      data-on={isOn || undefined}
      aria-label={isOn ? t`Remove the filter: ${word}` : t`Filter: ${word}`}
      onClick={onClick}
    >
      {word}
      {isOn && <IconClose size={14} />}
    </button>
  )
}

function RoleChip({ role, onChange }: { role: string | undefined; onChange: (role: string | undefined) => void }) {
  const { t } = useLingui()
  const select = useRef<HTMLSelectElement>(null)
  const { data: roles = [] } = useQuery(rolesQuery)
  const names = roles.map((one) => one.role)
  const isOn = role !== undefined
  return (
    <span className={styles.roles}>
      <span className={styles.chip} data-on={isOn || undefined} data-select="">
        {isOn ? t`Role: ${role}` : t`Role`}
        {!isOn && <IconDown size={14} />}
        <select
          ref={select}
          aria-label={t`Filter: Role`}
          value={role ?? ''}
          onChange={({ currentTarget: { value } }) => onChange(value || undefined)}
        >
          <option value="">{t`Any role`}</option>
          {isOn && !names.includes(role) && <option value={role}>{role}</option>}
          {names.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </span>
      {isOn && (
        <button
          type="button"
          className={styles.remove}
          aria-label={t`Remove the filter: Role: ${role}`}
          onClick={() => {
            onChange(undefined)
            select.current?.focus()
          }}
        >
          <IconClose size={14} />
        </button>
      )}
    </span>
  )
}

/** The instant that `last_login_before` takes: the end of the day 90 days ago, which stays the same all day. */
function dormantBefore(): string | undefined {
  const day = new Date()
  day.setDate(day.getDate() - dormantDays)
  return untilDay(localDay(day))
}

/** The name of the group in the filter; its ID until the name is known. */
function useGroupName(group: string | undefined): string {
  const mayRead = useCan('groups:read')
  const { data } = useQuery({ ...groupQuery(group ?? ''), enabled: mayRead && group !== undefined })
  return data?.name ?? group ?? ''
}

function useFilterWords({ group, organization, managed_by }: Filters) {
  const { t, i18n } = useLingui()
  const groupName = useGroupName(group)
  const organizationName = useOrganizationName(organization) ?? organization ?? ''
  const mayRead = useCan('provisioning:read')
  const { data } = useQuery({ ...connectionsQuery, enabled: managed_by !== undefined && mayRead })
  const attributes = useAttributes()
  const connection = data?.find(({ connection_id }) => connection_id === managed_by)?.name
  const day = (iso: string, dayOf: (iso: string) => string | undefined) => {
    const whole = dayOf(iso)
    return whole === undefined
      ? formatInstant(iso, i18n.locale)
      : formatInstant(`${whole}T00:00:00`, i18n.locale, 'date')
  }
  const labelOf = (key: string) => {
    const name = key.slice('attributes.'.length)
    return attributes?.find((one) => one.name === name)?.label ?? name
  }
  return (name: FilterName, filters: Filters): string => {
    const { role = '', created_after = '', created_before = '' } = filters
    const { last_login_after = '', last_login_before = '', expires_after = '', expires_before = '' } = filters
    if (isAttributeKey(name)) return `${labelOf(name)}: ${filters[name] ?? ''}`
    switch (name) {
      case 'q':
        return filters.q ?? ''
      case 'role':
        return t`Role: ${role}`
      case 'group':
        return t`Group: ${groupName}`
      case 'organization':
        return filters.organization === 'none' ? t`No organization` : t`Organization: ${organizationName}`
      case 'managed_by':
        return connection === undefined ? t`Managed by an identity provider` : t`Managed by ${connection}`
      case 'kind':
        return filters.kind === 'service' ? t`Service accounts` : t`People`
      case 'active':
        return filters.active ? t`Active` : t`Disabled`
      case 'state':
        return filters.state === 'expired' ? t`Expired` : filters.state === 'disabled' ? t`Disabled` : t`Active`
      case 'expires_after':
        return t`Access ends after ${day(expires_after, dayOfFrom)}`
      case 'expires_before':
        return t`Access ends before ${day(expires_before, dayOfUntil)}`
      case 'locked':
        return filters.locked ? t`Locked` : t`Not locked`
      case 'invited':
        return filters.invited ? t`Invited` : t`Not invited`
      case 'has_password':
        return filters.has_password ? t`Has a password` : t`No password`
      case 'has_signed_in':
        return filters.has_signed_in ? t`Has signed in` : t`Never signed in`
      case 'created_after':
        return t`Created from ${day(created_after, dayOfFrom)}`
      case 'created_before':
        return t`Created until ${day(created_before, dayOfUntil)}`
      case 'last_login_after':
        return t`Signed in since ${day(last_login_after, dayOfFrom)}`
      case 'last_login_before':
        return t`Last sign-in until ${day(last_login_before, dayOfUntil)}`
    }
  }
}
