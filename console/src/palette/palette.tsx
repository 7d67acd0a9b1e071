/** Finds users, pages and actions from any page: a combobox with a list of results, as in WAI-ARIA. */
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useMantineColorScheme } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import type { Me } from 'rollbook/client'
import { placeOf } from '../api/base.ts'
import { api } from '../api/client.ts'
import { can } from '../api/me.ts'
import { nameOf } from '../data/users.ts'
import { openShortcutList, press, pressThere } from '../shortcuts/shortcuts.ts'
import {
  IconClose,
  IconCode,
  IconImport,
  IconKeyboard,
  IconPlus,
  IconSearch,
  IconSun,
  IconUsers,
} from '../ui/icons.tsx'
import { Role, UserState } from '../ui/user-state.tsx'
import { matches } from './matches.ts'
import styles from './palette.module.css'
import { usePlaces } from './places.tsx'

type Entry = {
  id: string
  label: string
  note?: string | undefined
  extra?: ReactNode
  icon: ReactNode
  run: () => void
}
type Group = { title: string; entries: Entry[] }

const pauseMs = 100
const mostUsers = 8

export default function Palette({ me, onClose }: { me: Me; onClose: () => void }) {
  const { t } = useLingui()
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const [text, setText] = useState('')
  const [activeId, setActiveId] = useState<string>()
  const q = text.trim()
  const { entries: users, isReading } = useUsers(q, me)
  const { pages, actions } = useCommands(me)
  const searchUsers = useUserSearch(q, me)

  // During the mount, so that the field has the focus before the next key.
  useEffect(() => {
    dialog.current?.showModal()
  }, [])

  const groups: Group[] = [
    { title: t`Pages`, entries: pages.filter(({ label }) => matches(q, label)) },
    { title: t`Actions`, entries: actions.filter(({ label }) => matches(q, label)) },
    { title: t`Users`, entries: [...users, ...searchUsers] },
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
      aria-label={t`Find users, pages and actions`}
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
            aria-label={t`Find users, pages and actions`}
            aria-expanded={entries.length > 0}
            aria-controls={`${id}-list`}
            aria-autocomplete="list"
            aria-activedescendant={active && optionId(active)}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={256}
            placeholder={t`Find users, pages and actions`}
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

/** Matching users, once typing pauses. Never the results of an earlier text: Enter would open the wrong user. */
function useUsers(q: string, me: Me): { entries: Entry[]; isReading: boolean } {
  const navigate = useNavigate()
  const [query, setQuery] = useState('')
  const isOn = can(me, 'users:read')
  useEffect(() => {
    const timer = setTimeout(() => setQuery(q), pauseMs)
    return () => clearTimeout(timer)
  }, [q])
  const { data, isFetching } = useQuery({
    queryKey: ['users', 'palette', query],
    queryFn: ({ signal }) => api.users.page({ q: query, limit: mostUsers }, { signal }),
    enabled: isOn && query !== '',
    staleTime: 10_000,
    retry: false,
  })
  if (!isOn || q === '') return { entries: [], isReading: false }
  if (query !== q) return { entries: [], isReading: true }
  const entries = (data?.users ?? []).map((user) => ({
    id: user.user_id,
    label: nameOf(user) || user.username,
    note: [nameOf(user) && user.username, user.email].filter(Boolean).join(' · ') || undefined,
    extra: (
      <>
        <Role role={user.role} />
        <UserState user={user} />
      </>
    ),
    icon: <IconUsers />,
    run: () => void navigate({ to: '/users/$userId', params: { userId: user.user_id } }),
  }))
  return { entries, isReading: isFetching && data === undefined }
}

function useUserSearch(q: string, me: Me): Entry[] {
  const { t } = useLingui()
  const navigate = useNavigate()
  if (q === '' || !can(me, 'users:read')) return []
  const run = () => void navigate({ to: '/users', search: { q } })
  return [{ id: 'search', label: t`Show all users with “${q}”`, icon: <IconSearch />, run }]
}

function useCommands(me: Me): { pages: Entry[]; actions: Entry[] } {
  const { t } = useLingui()
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const isDark =
    colorScheme === 'dark' || (colorScheme === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches)
  const places = usePlaces(me).flatMap((group) => group.places)
  /** The page has `c` for what it creates. */
  const create = (to: '/users' | '/groups' | '/attributes' | '/keys' | '/provisioning' | '/webhooks') => () => {
    if (pathname.endsWith(to)) return void press('c')
    pressThere('c')
    void navigate({ to })
  }
  const pages = places.map(({ to, label, icon }) => ({ id: to, label, icon, run: () => void navigate({ to }) }))
  const actions: (Entry & { needs?: string })[] = [
    { id: 'user', label: t`Create user`, icon: <IconPlus />, run: create('/users'), needs: 'users:write' },
    {
      id: 'import',
      label: t`Import users`,
      icon: <IconImport />,
      run: () => void navigate({ to: '/imports', search: { new: true } }),
      needs: 'users:import',
    },
    { id: 'group', label: t`Create group`, icon: <IconPlus />, run: create('/groups'), needs: 'groups:write' },
    {
      id: 'attribute',
      label: t`Create attribute`,
      icon: <IconPlus />,
      run: create('/attributes'),
      needs: 'attributes:write',
    },
    { id: 'key', label: t`Create key`, icon: <IconPlus />, run: create('/keys'), needs: 'keys:write' },
    {
      id: 'connection',
      label: t`Connect identity provider`,
      icon: <IconPlus />,
      run: create('/provisioning'),
      needs: 'provisioning:write',
    },
    {
      id: 'sign-in-connection',
      label: t`Connect a company for sign-in`,
      icon: <IconPlus />,
      run: () => void navigate({ to: '/sign-in-connections/new' }),
      needs: 'connections:write',
    },
    { id: 'webhook', label: t`Create webhook`, icon: <IconPlus />, run: create('/webhooks'), needs: 'webhooks:write' },
    {
      id: 'scheme',
      label: isDark ? t`Switch to light mode` : t`Switch to dark mode`,
      icon: <IconSun />,
      run: () => setColorScheme(isDark ? 'light' : 'dark'),
    },
    { id: 'shortcuts', label: t`Keyboard shortcuts`, icon: <IconKeyboard />, run: openShortcutList },
  ]
  return {
    pages: [
      ...pages,
      { id: 'profile', label: t`Your account`, icon: <IconUsers />, run: () => void navigate({ to: '/profile' }) },
      {
        id: 'docs',
        label: t`API documentation`,
        icon: <IconCode />,
        run: () => void window.open(placeOf('docs'), '_blank', 'noreferrer'),
      },
    ],
    actions: actions.filter(({ needs }) => needs === undefined || can(me, needs)),
  }
}
