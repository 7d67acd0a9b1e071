import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useIsNamed, useOrganizationName } from '../../data/organizations.ts'
import { type AuditSearch, actionsOf, actorKinds, isFiltered, outcomes } from '../../data/search/audit.ts'
import { isOffered } from '../../lib/features.ts'
import { actionGroups, actionWords, everyAction } from '../../parts/audit/action-words.ts'
import { useMemberLabel } from '../../parts/audit/member-labels.ts'
import { OrganizationFilter } from '../../parts/organizations/organization-filter.tsx'
import { dayOfFrom, dayOfUntil, fromDay, localDay, untilDay } from '../../ui/days.ts'
import { IconClose, IconFilter } from '../../ui/icons.tsx'
import styles from './audit.module.css'
import own from './filters.module.css'
import { usePartyNames } from './party-names.ts'
import { PartyPicker } from './party-picker.tsx'

type Props = {
  search: AuditSearch
  /** The shown actors and targets, by ID. */
  names: ReadonlyMap<string, string>
  onChange: (search: AuditSearch) => void
}
/** `undefined` removes a filter. */
type Change = { [Name in keyof AuditSearch]?: AuditSearch[Name] | undefined }

/** The members whose changes are searched for most often. */
const members = ['role', 'active', 'email', 'username', 'password', 'permissions', 'expires_at', 'managed_by'] as const

export function Filters({ search, names, onChange }: Props) {
  const { t } = useLingui()
  const words = useFilterWords()
  // Only on phones; elsewhere there is room.
  const [isOpen, setIsOpen] = useState(false)
  const actions = actionsOf(search)
  const set = (change: Change) => onChange(changed(search, change))
  const { occurred_after: after, occurred_before: before } = search
  const nameOf = usePartyNames([search.actor ?? [], search.target ?? []].flat(), names)

  return (
    <section className={styles.filters} data-open={isOpen} aria-label={t`Filters`}>
      <Button
        variant="default"
        className={styles.toggle ?? ''}
        leftSection={<IconFilter />}
        aria-expanded={isOpen}
        aria-controls="audit-fields"
        onClick={() => setIsOpen(!isOpen)}
      >
        <Trans>Filters</Trans>
      </Button>
      <div id="audit-fields" className={styles.fields}>
        <ActionSelect actions={actions} onChange={(action) => set({ action })} />
        <NativeSelect
          label={t`Changed`}
          value={search.changed ?? ''}
          onChange={({ currentTarget: { value } }) => set({ changed: value || undefined })}
        >
          <option value="">{t`Anything`}</option>
          {[...new Set([...members, ...(search.changed === undefined ? [] : [search.changed])])].map((member) => (
            <option key={member} value={member}>
              {words.member(member)}
            </option>
          ))}
        </NativeSelect>
        <NativeSelect
          label={t`Outcome`}
          value={search.outcome ?? ''}
          onChange={({ currentTarget: { value } }) => set({ outcome: outcomes.find((one) => one === value) })}
          data={[{ value: '', label: t`Any` }, ...outcomes.map((value) => ({ value, label: words.outcome(value) }))]}
        />
        <TextInput
          type="date"
          label={t`From`}
          value={(after && dayOfFrom(after)) ?? ''}
          onChange={({ currentTarget: { value } }) => set({ occurred_after: fromDay(value) })}
        />
        <TextInput
          type="date"
          label={t`Until`}
          value={(before && dayOfUntil(before)) ?? ''}
          onChange={({ currentTarget: { value } }) => set({ occurred_before: untilDay(value) })}
        />
        <NativeSelect
          label={t`Order`}
          value={search.sort ?? ''}
          onChange={({ currentTarget: { value } }) => set({ sort: value === 'seq' ? 'seq' : undefined })}
          data={[
            { value: '', label: t`Newest first` },
            { value: 'seq', label: t`Oldest first` },
          ]}
        />
        <PartyPicker
          label={t`Done by`}
          kinds={actorKinds.map((kind) => ({ kind, name: words.anyOf(kind) }))}
          onPick={(by) =>
            set('kind' in by ? { actor_kind: by.kind, actor: undefined } : { actor: by.id, actor_kind: undefined })
          }
        />
        <PartyPicker label={t`Done to`} onPick={(to) => 'id' in to && set({ target: to.id })} />
        <OrganizationFilter
          organization={search.organization}
          hasNone={false}
          onChange={(organization) => set({ organization })}
        />
      </div>
      <Periods after={after} before={before} onChange={set} />
      {isFiltered(search) && <FiltersInUse search={search} nameOf={nameOf} onChange={onChange} />}
    </section>
  )
}

type ActionProps = { actions: readonly string[]; onChange: (action: string | undefined) => void }

function ActionSelect({ actions, onChange }: ActionProps) {
  const { t } = useLingui()
  const words = useFilterWords()
  const isNamed = useIsNamed()
  return (
    <NativeSelect
      label={t`Action`}
      value={actions.length > 1 ? 'several' : (actions[0] ?? '')}
      onChange={({ currentTarget: { value } }) => onChange(value === '' ? undefined : value)}
    >
      <option value="">{t`All actions`}</option>
      {actions.length > 1 && (
        <option value="several" disabled>
          {t`Several`}
        </option>
      )}
      {actions.length === 1 && !words.isListed(actions[0] ?? '') && <option value={actions[0]}>{actions[0]}</option>}
      {actionGroups
        .filter(({ noun }) => isOffered(noun) && isNamed(noun))
        .map(({ noun }) => (
          <optgroup key={noun} label={words.noun(noun)}>
            <option value={`${noun}.*`}>{words.action(`${noun}.*`)}</option>
            {everyAction
              .filter((action) => action.startsWith(`${noun}.`))
              .map((action) => (
                <option key={action} value={action}>
                  {words.action(action)}
                </option>
              ))}
          </optgroup>
        ))}
    </NativeSelect>
  )
}

type PeriodsProps = { after: string | undefined; before: string | undefined; onChange: (change: Change) => void }

/** The last day, week and month, by one press. */
function Periods({ after, before, onChange }: PeriodsProps) {
  const { t } = useLingui()
  return (
    <fieldset className={own.presets} aria-label={t`Period`}>
      {([1, 7, 30] as const).map((days) => {
        const from = fromDay(localDay(daysAgo(days - 1)))
        const isOn = after === from && before === undefined
        return (
          <button
            key={days}
            type="button"
            className={own.preset}
            aria-pressed={isOn}
            onClick={() => onChange({ occurred_after: isOn ? undefined : from, occurred_before: undefined })}
          >
            {days === 1 ? t`Today` : <Plural value={days} one="# day" other="# days" />}
          </button>
        )
      })}
    </fieldset>
  )
}

type InUseProps = Pick<Props, 'search' | 'onChange'> & { nameOf: ReturnType<typeof usePartyNames> }

function FiltersInUse({ search, nameOf, onChange }: InUseProps) {
  const { t } = useLingui()
  const words = useFilterWords()
  const actions = actionsOf(search)
  const { occurred_after: after, occurred_before: before, organization } = search
  const organizationName = useOrganizationName(organization) ?? organization ?? ''
  const set = (change: Change) => onChange(changed(search, change))
  return (
    <ul className={styles.chips} aria-label={t`Filters in use`}>
      {actions.map((action) => (
        <Chip
          key={action}
          text={words.action(action)}
          onRemove={() => {
            const rest = actions.filter((one) => one !== action)
            set({ action: rest.length > 1 ? rest : rest[0] })
          }}
        />
      ))}
      {search.changed && (
        <Chip text={t`Changed: ${words.member(search.changed)}`} onRemove={() => set({ changed: undefined })} />
      )}
      {search.outcome && <Chip text={words.outcome(search.outcome)} onRemove={() => set({ outcome: undefined })} />}
      {search.actor_kind && (
        <Chip text={t`Done by: ${words.anyOf(search.actor_kind)}`} onRemove={() => set({ actor_kind: undefined })} />
      )}
      {after && <Chip text={words.after(after)} onRemove={() => set({ occurred_after: undefined })} />}
      {before && <Chip text={words.before(before)} onRemove={() => set({ occurred_before: undefined })} />}
      {search.actor && <Chip text={t`Done by: ${nameOf(search.actor)}`} onRemove={() => set({ actor: undefined })} />}
      {search.target && (
        <Chip text={t`Done to: ${nameOf(search.target)}`} onRemove={() => set({ target: undefined })} />
      )}
      {organization && (
        <Chip text={t`Organization: ${organizationName}`} onRemove={() => set({ organization: undefined })} />
      )}
      {search.request_id && (
        <Chip text={t`Request: ${search.request_id}`} onRemove={() => set({ request_id: undefined })} />
      )}
      <li>
        <button type="button" className={styles.clear} onClick={() => onChange(search.sort ? { sort: 'seq' } : {})}>
          <Trans>Remove all</Trans>
        </button>
      </li>
    </ul>
  )
}

function changed(search: AuditSearch, change: Change): AuditSearch {
  return { ...search, ...change } as AuditSearch
}

function daysAgo(days: number): Date {
  const day = new Date()
  day.setDate(day.getDate() - days)
  return day
}

function Chip({ text, onRemove }: { text: string; onRemove: () => void }) {
  const { t } = useLingui()
  return (
    <li>
      <button type="button" className={styles.chip} aria-label={t`Remove the filter: ${text}`} onClick={onRemove}>
        <span>{text}</span>
        <IconClose size={14} />
      </button>
    </li>
  )
}

export function useFilterWords() {
  const { t, i18n } = useLingui()
  const label = useMemberLabel()
  const noun = (name: string) => {
    const title = actionGroups.find((group) => group.noun === name)?.title
    return title === undefined ? name : i18n._(title)
  }
  const date = (iso: string) => new Intl.DateTimeFormat(i18n.locale, { dateStyle: 'medium' }).format(new Date(iso))
  const instant = (iso: string) =>
    new Intl.DateTimeFormat(i18n.locale, { dateStyle: 'medium', timeStyle: 'medium' }).format(new Date(iso))
  return {
    noun,
    isListed: (action: string) => actionWords(action) !== undefined || action.endsWith('.*'),
    action(action: string): string {
      if (action.endsWith('.*')) return t`${noun(action.slice(0, -2))}: everything`
      const words = actionWords(action)
      return words === undefined ? action : i18n._(words)
    },
    member: (member: string) => label(member) ?? member,
    outcome: (outcome: (typeof outcomes)[number]) =>
      ({ success: t`Done`, failure: t`Failed sign-in`, denied: t`Refused` })[outcome],
    kind: (kind: (typeof actorKinds)[number]) =>
      ({
        user: t`User`,
        api_key: t`API key`,
        service: t`Service`,
        setup_link: t`IT administrator by setup link`,
        system: t`System`,
        anonymous: t`Not signed in`,
      })[kind],
    /** A kind of actor in place of one. */
    anyOf: (kind: (typeof actorKinds)[number]) =>
      ({
        user: t`Any user`,
        api_key: t`Any API key`,
        service: t`Any service`,
        setup_link: t`Any setup link`,
        system: t`System`,
        anonymous: t`Not signed in`,
      })[kind],
    after: (iso: string) => (dayOfFrom(iso) ? t`From ${date(`${dayOfFrom(iso)}T00:00`)}` : t`After ${instant(iso)}`),
    before: (iso: string) =>
      dayOfUntil(iso) ? t`Until ${date(`${dayOfUntil(iso)}T00:00`)}` : t`Before ${instant(iso)}`,
  }
}
