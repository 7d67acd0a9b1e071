import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { useCan } from '../../api/me.ts'
import { groupQuery } from '../../data/groups.ts'
import { rolesQuery } from '../../data/roles.ts'
import { type FilterName, type Filters, kinds, namesOfFilters } from '../../data/search/users.ts'
import { dayOfFrom, dayOfUntil, fromDay, untilDay } from '../../ui/days.ts'
import { GroupPicker } from '../group-picker/group-picker.tsx'
import { OrganizationFilter } from '../organizations/organization-filter.tsx'
import { AttributeFields } from './attribute-filters.tsx'
import styles from './filter-form.module.css'

export type FilterChange = { [Name in FilterName]: Filters[Name] | undefined }

type Props = {
  filters: Filters
  /** Whether the list is of all groups. */
  hasGroups: boolean
  onChange: (change: Partial<FilterChange>) => void
  onClose: () => void
}

const flags = { '': undefined, true: true, false: false } as const

const flag = (value: string) => flags[value as keyof typeof flags]
const is = (value: boolean | undefined) => String(value ?? '')

/** The choice that a filter by state shows: one by `active` looks the same. */
function stateOf({ state, active }: Pick<Filters, 'state' | 'active'>): string {
  return state === undefined || state === 'expired' ? (state ?? is(active)) : String(state === 'active')
}

/** Each choice applies at once. */
export function FilterForm({ filters, hasGroups, onChange, onClose }: Props) {
  const { t } = useLingui()
  const { data: roles = [] } = useQuery(rolesQuery)
  const { role, kind, locked, invited, has_password, created_after, created_before } = filters
  const isUnknownRole = role !== undefined && !roles.some((one) => one.role === role)

  return (
    <div className={styles.form}>
      <Choice label={t`Role`} value={role ?? ''} onChange={(value) => onChange({ role: value || undefined })}>
        <option value="">{t`Any`}</option>
        {isUnknownRole && <option value={role}>{role}</option>}
        {roles.map((one) => (
          <option key={one.role} value={one.role}>
            {one.role}
          </option>
        ))}
      </Choice>
      {hasGroups && <GroupChoice group={filters.group} onChange={(group) => onChange({ group })} />}
      <OrganizationChoice filters={filters} onChange={onChange} />
      <Choice
        label={t`Kind`}
        value={kind ?? ''}
        onChange={(value) => onChange({ kind: kinds.find((one) => one === value) })}
      >
        <option value="">{t`Any`}</option>
        <option value="person">{t`People`}</option>
        <option value="service">{t`Service accounts`}</option>
      </Choice>
      <Choice
        label={t`State`}
        value={locked ? 'locked' : invited ? 'invited' : stateOf(filters)}
        onChange={(value) =>
          onChange({
            active: value === 'false' ? false : undefined,
            // Without those whose end date has passed, although they are not disabled.
            state: value === 'true' ? 'active' : value === 'expired' ? value : undefined,
            locked: value === 'locked' || undefined,
            invited: value === 'invited' || undefined,
          })
        }
      >
        <option value="">{t`Any`}</option>
        <option value="true">{t`Active`}</option>
        <option value="false">{t`Disabled`}</option>
        <option value="expired">{t`Expired`}</option>
        <option value="locked">{t`Locked`}</option>
        <option value="invited">{t`Invited`}</option>
      </Choice>
      <Choice
        label={t`Password`}
        value={is(has_password)}
        onChange={(value) => onChange({ has_password: flag(value) })}
      >
        <option value="">{t`Any`}</option>
        <option value="true">{t`Has one`}</option>
        <option value="false">{t`Has none`}</option>
      </Choice>
      <fieldset>
        <legend>
          <Trans>Created</Trans>
        </legend>
        <Day
          label={t`From`}
          day={dayIn(created_after, dayOfFrom)}
          onChange={(day) => onChange({ created_after: fromDay(day) })}
        />
        <Day
          label={t`Until`}
          day={dayIn(created_before, dayOfUntil)}
          onChange={(day) => onChange({ created_before: untilDay(day) })}
        />
      </fieldset>
      <LastSignIn filters={filters} onChange={onChange} />
      <AttributeFields filters={filters} onChange={onChange} />
      <Group gap={8} align="stretch" justify="space-between" wrap="nowrap" mt={4}>
        <Button
          variant="subtle"
          color="gray"
          onClick={() =>
            onChange(
              Object.fromEntries(
                namesOfFilters(filters)
                  .filter((name) => name !== 'q')
                  .map((name) => [name, undefined]),
              ),
            )
          }
        >
          <Trans>Clear all</Trans>
        </Button>
        <Button variant="default" onClick={onClose}>
          <Trans>Done</Trans>
        </Button>
      </Group>
    </div>
  )
}

type GroupProps = { group: string | undefined; onChange: (group: string | undefined) => void }

function GroupChoice({ group, onChange }: GroupProps) {
  const { t } = useLingui()
  const mayRead = useCan('groups:read')
  const { data: chosen } = useQuery({ ...groupQuery(group ?? ''), enabled: mayRead && group !== undefined })
  if (!mayRead) return null
  return (
    <GroupPicker
      label={t`Group`}
      isInFlow
      chosen={group === undefined ? undefined : (chosen ?? { name: group })}
      onPick={(picked) => onChange(picked?.group_id)}
    />
  )
}

function OrganizationChoice({ filters, onChange }: PartProps) {
  return (
    <OrganizationFilter
      isInFlow
      organization={filters.organization}
      onChange={(organization) => onChange({ organization })}
    />
  )
}

function dayIn(iso: string | undefined, dayOf: (iso: string) => string | undefined): string {
  return iso === undefined ? '' : (dayOf(iso) ?? '')
}

type ChoiceProps = { label: string; value: string; onChange: (value: string) => void; children: ReactNode }

function Choice({ label, value, onChange, children }: ChoiceProps) {
  const id = useId()
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {children}
      </select>
    </div>
  )
}

type DayProps = { label: string; day: string; isOff?: boolean; onChange: (day: string) => void }

function Day({ label, day, isOff = false, onChange }: DayProps) {
  const input = useRef<HTMLInputElement>(null)
  // Not while it has the focus: a part of a date that is being typed would be lost.
  useEffect(() => {
    if (input.current !== null && input.current !== document.activeElement) input.current.value = day
  }, [day])
  return (
    <label>
      {label}
      <input
        ref={input}
        type="date"
        defaultValue={day}
        disabled={isOff}
        onChange={({ currentTarget: { value, validity } }) => {
          // A year that is being typed starts with zeros.
          if (value >= '1900' || (value === '' && !validity.badInput)) onChange(value)
        }}
      />
    </label>
  )
}

type PartProps = Pick<Props, 'filters' | 'onChange'>

function LastSignIn({ filters, onChange }: PartProps) {
  const { t } = useLingui()
  const { has_signed_in, last_login_after, last_login_before } = filters
  const hasNever = has_signed_in === false
  return (
    <fieldset>
      <legend>
        <Trans>Last sign-in</Trans>
      </legend>
      <select
        aria-label={t`Last sign-in`}
        value={is(has_signed_in)}
        onChange={({ currentTarget: { value } }) =>
          onChange({
            has_signed_in: flag(value),
            ...(value === 'false' && { last_login_after: undefined, last_login_before: undefined }),
          })
        }
      >
        <option value="">{t`Any`}</option>
        <option value="true">{t`At least once`}</option>
        <option value="false">{t`Never`}</option>
      </select>
      <Day
        label={t`From`}
        day={dayIn(last_login_after, dayOfFrom)}
        isOff={hasNever}
        onChange={(day) => onChange({ last_login_after: fromDay(day) })}
      />
      <Day
        label={t`Until`}
        day={dayIn(last_login_before, dayOfUntil)}
        isOff={hasNever}
        onChange={(day) => onChange({ last_login_before: untilDay(day) })}
      />
    </fieldset>
  )
}
