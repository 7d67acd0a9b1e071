import { Trans, useLingui } from '@lingui/react/macro'
import { Button, NativeSelect, TextInput } from '@mantine/core'
import { type SubmitEvent, useState } from 'react'
import { dayOfFrom, dayOfUntil, fromDay, untilDay } from '../ui/days.ts'
import { IconClose, IconFilter } from '../ui/icons.tsx'
import { actionGroups, actionWords, everyAction } from './action-words.ts'
import styles from './audit.module.css'
import { type AuditSearch, actionsOf, actorKinds, isFiltered, outcomes } from './search.ts'

type Props = { search: AuditSearch; onChange: (search: AuditSearch) => void }
/** `undefined` removes a filter. */
type Change = { [Name in keyof AuditSearch]?: AuditSearch[Name] | undefined }

const idFilters = ['actor', 'target', 'request_id'] as const

export function Filters({ search, onChange }: Props) {
  const { t } = useLingui()
  const words = useFilterWords()
  // Only on phones; elsewhere there is room.
  const [isOpen, setIsOpen] = useState(false)
  const [isMoreOpen, setIsMoreOpen] = useState(idFilters.some((name) => search[name] !== undefined))
  const actions = actionsOf(search)
  const set = (change: Change) => onChange({ ...search, ...change } as AuditSearch)
  const { occurred_after: after, occurred_before: before } = search

  function submitIds(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    const value = (name: string) => String(fields.get(name) ?? '').trim() || undefined
    set({ actor: value('actor'), target: value('target'), request_id: value('request_id') })
  }

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
        <NativeSelect
          label={t`Action`}
          value={actions.length > 1 ? 'several' : (actions[0] ?? '')}
          onChange={({ currentTarget: { value } }) => set({ action: value === '' ? undefined : value })}
        >
          <option value="">{t`All actions`}</option>
          {actions.length > 1 && (
            <option value="several" disabled>
              {t`Several`}
            </option>
          )}
          {actions.length === 1 && !words.isListed(actions[0] ?? '') && (
            <option value={actions[0]}>{actions[0]}</option>
          )}
          {actionGroups.map(({ noun }) => (
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
        <NativeSelect
          label={t`Outcome`}
          value={search.outcome ?? ''}
          onChange={({ currentTarget: { value } }) => set({ outcome: outcomes.find((one) => one === value) })}
          data={[{ value: '', label: t`Any` }, ...outcomes.map((value) => ({ value, label: words.outcome(value) }))]}
        />
        <NativeSelect
          label={t`Actor`}
          value={search.actor_kind ?? ''}
          onChange={({ currentTarget: { value } }) => set({ actor_kind: actorKinds.find((one) => one === value) })}
          data={[{ value: '', label: t`Anyone` }, ...actorKinds.map((value) => ({ value, label: words.kind(value) }))]}
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
        <Button
          variant="default"
          aria-expanded={isMoreOpen}
          aria-controls="audit-ids"
          onClick={() => setIsMoreOpen(!isMoreOpen)}
        >
          <Trans>Search by ID</Trans>
        </Button>
      </div>
      {isMoreOpen && (
        <form
          id="audit-ids"
          className={styles.fields}
          onSubmit={submitIds}
          key={idFilters.map((name) => search[name]).join(' ')}
        >
          <TextInput name="actor" label={t`Actor ID`} defaultValue={search.actor} spellCheck={false} />
          <TextInput name="target" label={t`Target ID`} defaultValue={search.target} spellCheck={false} />
          <TextInput name="request_id" label={t`Request ID`} defaultValue={search.request_id} spellCheck={false} />
          <Button type="submit" variant="default">
            <Trans>Filter</Trans>
          </Button>
        </form>
      )}
      {isFiltered(search) && (
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
          {search.outcome && <Chip text={words.outcome(search.outcome)} onRemove={() => set({ outcome: undefined })} />}
          {search.actor_kind && (
            <Chip text={t`By: ${words.kind(search.actor_kind)}`} onRemove={() => set({ actor_kind: undefined })} />
          )}
          {after && <Chip text={words.after(after)} onRemove={() => set({ occurred_after: undefined })} />}
          {before && <Chip text={words.before(before)} onRemove={() => set({ occurred_before: undefined })} />}
          {search.actor && <Chip text={t`Actor: ${search.actor}`} onRemove={() => set({ actor: undefined })} />}
          {search.target && <Chip text={t`Target: ${search.target}`} onRemove={() => set({ target: undefined })} />}
          {search.request_id && (
            <Chip text={t`Request: ${search.request_id}`} onRemove={() => set({ request_id: undefined })} />
          )}
          <li>
            <button type="button" className={styles.clear} onClick={() => onChange(search.sort ? { sort: 'seq' } : {})}>
              <Trans>Remove all</Trans>
            </button>
          </li>
        </ul>
      )}
    </section>
  )
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
    outcome: (outcome: (typeof outcomes)[number]) =>
      ({ success: t`Done`, failure: t`Failed sign-in`, denied: t`Refused` })[outcome],
    kind: (kind: (typeof actorKinds)[number]) =>
      ({
        user: t`User`,
        api_key: t`API key`,
        service: t`Service`,
        system: t`Rollbook itself`,
        anonymous: t`Not signed in`,
      })[kind],
    after: (iso: string) => (dayOfFrom(iso) ? t`From ${date(`${dayOfFrom(iso)}T00:00`)}` : t`After ${instant(iso)}`),
    before: (iso: string) =>
      dayOfUntil(iso) ? t`Until ${date(`${dayOfUntil(iso)}T00:00`)}` : t`Before ${instant(iso)}`,
  }
}
