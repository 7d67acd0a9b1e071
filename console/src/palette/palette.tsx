/** Finds users, pages and actions from any page: a combobox with a list of results, as in WAI-ARIA. */
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import type { Me } from 'rollbook/client'
import { IconClose, IconSearch } from '../ui/icons.tsx'
import { type Entry, type Group, matching } from './entry.ts'
import styles from './palette.module.css'
import { useCommands } from './use-commands.tsx'
import { useFilterEntries } from './use-filter-entries.tsx'
import { useRecordEntries } from './use-record-entries.tsx'
import { useUserEntries } from './use-user-entries.tsx'

export default function Palette({ me, onClose }: { me: Me; onClose: () => void }) {
  const { t } = useLingui()
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const [text, setText] = useState('')
  const [activeId, setActiveId] = useState<string>()
  const q = text.trim()
  const users = useUserEntries(q, me)
  const records = useRecordEntries(q, me)
  const filters = useFilterEntries(me)
  const { pages, actions } = useCommands(me)
  const isReading = users.isReading || records.isReading

  // During the mount, so that the field has the focus before the next key.
  useEffect(() => {
    dialog.current?.showModal()
  }, [])

  const groups: Group[] = [
    { title: t`Pages`, entries: matching(q, pages) },
    { title: t`Actions`, entries: matching(q, actions) },
    { title: t`Users`, entries: users.found },
    { title: t`Did you mean`, entries: users.closest },
    ...records.groups,
    { title: t`Filters`, entries: q === '' ? [] : matching(q, filters) },
    { title: t`Search`, entries: users.searches },
  ].filter(({ entries }) => entries.length > 0)
  const entries = groups.flatMap((group) => group.entries)
  const active = entries.find((entry) => entry.id === activeId) ?? entries[0]
  const optionId = (entry: Entry) => `${id}-${entry.id}`

  function start(entry: Entry) {
    // Closed first: the focus returns before the entry moves it.
    dialog.current?.close()
    entry.run()
  }
  function onKeyDown(event: KeyboardEvent<HTMLInputElement>) {
    if (event.nativeEvent.isComposing) return
    const at = active === undefined ? 0 : entries.indexOf(active)
    const goal = goalOf(event.key, at, entries.length)
    if (goal !== undefined) {
      const to = entries[goal]
      setActiveId(to?.id)
      if (to !== undefined) document.getElementById(optionId(to))?.scrollIntoView({ block: 'nearest' })
    } else if (event.key === 'Enter' && active !== undefined) start(active)
    else return
    event.preventDefault()
  }

  return (
    <dialog
      ref={dialog}
      className={styles.dialog}
      aria-label={t`Find users, groups, keys, pages and actions`}
      onClose={onClose}
      onPointerDown={({ target, currentTarget }) => target === currentTarget && currentTarget.close()}
    >
      <div className={styles.box}>
        <div className={styles.field}>
          <IconSearch />
          <input
            autoFocus
            type="text"
            role="combobox"
            aria-label={t`Find users, groups, keys, pages and actions`}
            aria-expanded={entries.length > 0}
            aria-controls={`${id}-list`}
            aria-autocomplete="list"
            aria-activedescendant={active && optionId(active)}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={256}
            placeholder={t`Find users, groups, keys, pages and actions`}
            value={text}
            onChange={(event) => {
              setText(event.currentTarget.value)
              setActiveId(undefined)
            }}
            onKeyDown={onKeyDown}
          />
          <button type="button" className={styles.close} aria-label={t`Close`} onClick={() => dialog.current?.close()}>
            <IconClose />
          </button>
        </div>
        <div id={`${id}-list`} role="listbox" aria-label={t`Results`} className={styles.list}>
          <Results
            id={id}
            groups={groups}
            active={active}
            optionId={optionId}
            onPoint={(entry) => setActiveId(entry.id)}
            onStart={start}
          />
        </div>
        <Summary count={entries.length} isReading={isReading} />
      </div>
    </dialog>
  )
}

/** Returns the entry that a key leads to, from the entry `at` of `count`; undefined for other keys. */
function goalOf(key: string, at: number, count: number): number | undefined {
  const goals: Record<string, number> = {
    ArrowDown: (at + 1) % count,
    ArrowUp: (at + count - 1) % count,
    PageDown: count - 1,
    PageUp: 0,
  }
  return goals[key]
}

type ResultsProps = {
  id: string
  groups: readonly Group[]
  active: Entry | undefined
  optionId: (entry: Entry) => string
  onPoint: (entry: Entry) => void
  onStart: (entry: Entry) => void
}

function Results({ id, groups, active, optionId, onPoint, onStart }: ResultsProps) {
  return (
    <>
      {groups.map(({ title, entries: own }, at) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is no group of options.
        <div key={title} role="group" aria-labelledby={`${id}-${at}`}>
          <h2 id={`${id}-${at}`} role="presentation">
            {title}
          </h2>
          {own.map((entry) => (
            <Option
              key={entry.id}
              id={optionId(entry)}
              entry={entry}
              isActive={entry === active}
              onPoint={() => onPoint(entry)}
              onStart={() => onStart(entry)}
            />
          ))}
        </div>
      ))}
    </>
  )
}

function Summary({ count, isReading }: { count: number; isReading: boolean }) {
  return (
    <>
      {count === 0 && !isReading && (
        <p className={styles.none}>
          <Trans>Nothing found</Trans>
        </p>
      )}
      <p className="visually-hidden" role="status">
        {!isReading && <Plural value={count} one="# result" other="# results" />}
      </p>
    </>
  )
}

type OptionProps = { id: string; entry: Entry; isActive: boolean; onPoint: () => void; onStart: () => void }

function Option({ id, entry, isActive, onPoint, onStart }: OptionProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field.
    // biome-ignore lint/a11y/useFocusableInteractive: the field has the focus, and names the active option.
    <div
      id={id}
      role="option"
      aria-selected={isActive}
      className={styles.entry}
      onPointerMove={onPoint}
      onClick={onStart}
    >
      {entry.icon}
      <bdi>{entry.label}</bdi>
      {entry.note !== undefined && <bdi className={styles.note}>{entry.note}</bdi>}
      {entry.extra !== undefined && <span className={styles.extra}>{entry.extra}</span>}
    </div>
  )
}
