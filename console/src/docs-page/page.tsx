import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { environmentName } from '../lib/page-names.ts'
import { EnvironmentTag } from '../ui/environment-tag.tsx'
import { AuthorizeDialog } from './authorize.tsx'
import { type ApiDocument, type Found, filtered, subjectsOf } from './document.ts'
import type { ExampleForm } from './examples.tsx'
import type { Credential } from './form.ts'
import { GuideSections } from './guides.tsx'
import { Markdown } from './markdown.tsx'
import { OperationBlock, type Shared } from './operation.tsx'

const tag = 'default'

/** The operation that the address names, in the form `#/default/<operationId>`. */
function operationIdOf(hash: string): string | undefined {
  try {
    const [place, id] = hash
      .replace(/^#!?\/?/, '')
      .split('/')
      .map(decodeURIComponent)
    return place === tag && id ? id : undefined
  } catch {
    // A hash that is no encoded text names no operation.
    return undefined
  }
}

type Props = { document: ApiDocument; api: string; openapiUrl: string; product: string }

export function Page({ document: api, api: apiUrl, openapiUrl, product }: Props) {
  const subjects = useMemo(() => subjectsOf(api), [api])
  const [filter, setFilter] = useState('')
  const [openId, setOpenId] = useState(() => operationIdOf(location.hash))
  const [credential, setCredential] = useState<Credential>()
  const [createdIds, setCreatedIds] = useState<Record<string, string>>({})
  const [exampleForm, setExampleForm] = useState<ExampleForm>('curl')
  const [isMenuOpen, setIsMenuOpen] = useState(false)
  const dialog = useRef<HTMLDialogElement>(null)
  const isFiltered = filter.trim() !== ''
  const found = useMemo(() => filtered(subjects, filter), [subjects, filter])
  const all = subjects.flatMap(({ operations }) => operations)
  const matching = found.flatMap(({ operations }) => operations)

  useFollowedLinks((id) => {
    setOpenId(id)
    setIsMenuOpen(false)
    if (id !== undefined && !matching.some(({ operationId }) => operationId === id)) setFilter('')
  })
  useMenuThatCloses(isMenuOpen, () => setIsMenuOpen(false))
  useTitle(`${product} API ${api.info.version}`, all.find(({ operationId }) => operationId === openId)?.summary)
  const keepInPlace = useKeptPlace(openId)

  const toggle = (id: string) => {
    keepInPlace(id)
    const next = openId === id ? undefined : id
    history.pushState(null, '', next === undefined ? `#/${tag}` : `#/${tag}/${next}`)
    setOpenId(next)
  }
  const shared: Shared = {
    api: apiUrl,
    schemas: api.components.schemas,
    credential,
    createdIds,
    onCreated: (ids) => setCreatedIds({ ...createdIds, ...ids }),
    exampleForm,
    onExampleForm: setExampleForm,
  }
  return (
    <div className="swagger-ui">
      <Topbar
        product={product}
        version={api.info.version}
        isMenuOpen={isMenuOpen}
        onMenu={() => setIsMenuOpen(!isMenuOpen)}
        isAuthorized={credential !== undefined}
        onAuthorize={() => dialog.current?.showModal()}
      />
      <aside className={`side ${isMenuOpen ? 'is-open' : ''}`} id="side">
        <Filter
          value={filter}
          onChange={(value) => {
            setFilter(value)
            scrollTo(0, 0)
          }}
          count={isFiltered ? matching.length : undefined}
        />
        <OperationLinks subjects={found} openId={openId} />
        {!isFiltered && (
          <p className="guides-link">
            <a href="#scim">Provisioning with SCIM</a>
          </p>
        )}
        {!isFiltered && (
          <p className="guides-link">
            <a href="#company-sign-in">Company sign-in</a>
          </p>
        )}
      </aside>
      <main id="operations" tabIndex={-1}>
        <Info api={api} apiUrl={apiUrl} openapiUrl={openapiUrl} isHidden={isFiltered} />
        <div className="opblock-tag-section is-open">
          <h2 className="opblock-tag visually-hidden" id={`operations-tag-${tag}`} data-tag={tag} data-is-open="true">
            {tag}
          </h2>
          <div className="operation-tag-content">
            {found.map((subject) => (
              <SubjectSection key={subject.name} subject={subject} shared={shared} openId={openId} onToggle={toggle} />
            ))}
            {matching.length === 0 && (
              <p className="nothing">
                No operation matches “{filter}”.{' '}
                <button type="button" className="quiet-button" onClick={() => setFilter('')}>
                  Show all {all.length}
                </button>
              </p>
            )}
          </div>
        </div>
        <GuideSections api={apiUrl} isHidden={isFiltered} />
      </main>
      <AuthorizeDialog dialog={dialog} credential={credential} onChange={setCredential} />
    </div>
  )
}

type TopbarProps = {
  product: string
  version: string
  isMenuOpen: boolean
  onMenu: () => void
  isAuthorized: boolean
  onAuthorize: () => void
}

function Topbar({ product, version, isMenuOpen, onMenu, isAuthorized, onAuthorize }: TopbarProps) {
  return (
    <header className="topbar">
      <a className="brand" href="#/" aria-label={`${product} API ${version}, to the top`}>
        <Mark />
        <bdi>{product}</bdi> <small>API {version}</small>
      </a>
      <EnvironmentTag />
      <button
        type="button"
        className="btn menu-button"
        aria-expanded={isMenuOpen}
        aria-controls="side"
        onClick={onMenu}
      >
        Operations
      </button>
      <div className="auth-wrapper">
        <button type="button" className={`btn authorize ${isAuthorized ? 'locked' : 'unlocked'}`} onClick={onAuthorize}>
          {isAuthorized ? 'Authorized' : 'Authorize'}
        </button>
      </div>
    </header>
  )
}

function OperationLinks({ subjects, openId }: { subjects: readonly Found[]; openId: string | undefined }) {
  return (
    <nav aria-label="Operations">
      {subjects.map(({ name, operations }) => (
        <div key={name} hidden={operations.length === 0}>
          <h2 id={`side-${anchorOf(name)}`}>{name}</h2>
          <ul aria-labelledby={`side-${anchorOf(name)}`}>
            {operations.map(({ operationId, method, summary }) => (
              <li key={operationId}>
                <a
                  href={`#/${tag}/${operationId}`}
                  aria-current={operationId === openId ? 'true' : undefined}
                  // Again to where one already is.
                  onClick={() => location.hash === `#/${tag}/${operationId}` && dispatchEvent(new Event('hashchange'))}
                >
                  <span className={`method method-${method.toLowerCase()}`}>{method}</span> {summary}
                </a>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  )
}

type InfoProps = { api: ApiDocument; apiUrl: string; openapiUrl: string; isHidden: boolean }

function Info({ api, apiUrl, openapiUrl, isHidden }: InfoProps) {
  return (
    <div className="info" hidden={isHidden}>
      <h1 className="title">{api.info.title}</h1>
      <Markdown text={api.info.description} />
      <p className="links">
        <a className="link" href={openapiUrl}>
          OpenAPI document
        </a>
        <a href={`${apiUrl}/docs/problems`}>Problems</a>
        <a href={`${apiUrl}/docs/alerts`}>Alerts</a>
        <span className="version">OpenAPI 3.1</span>
        {api.info.license && <span>{api.info.license.name}</span>}
      </p>
    </div>
  )
}

type SubjectProps = {
  subject: Found
  shared: Shared
  openId: string | undefined
  onToggle: (operationId: string) => void
}

function SubjectSection({
  subject: { name, description, operations, hidden },
  shared,
  openId,
  onToggle,
}: SubjectProps) {
  return (
    <section className="subject" aria-labelledby={`subject-${anchorOf(name)}`} hidden={operations.length === 0}>
      <h3 id={`subject-${anchorOf(name)}`}>{name}</h3>
      {description !== undefined && <p className="hint">{description}</p>}
      <div className="blocks">
        {[...operations, ...hidden].map((operation) => (
          <OperationBlock
            key={operation.operationId}
            operation={operation}
            shared={shared}
            isOpen={openId === operation.operationId}
            isHidden={hidden.includes(operation)}
            onToggle={() => onToggle(operation.operationId)}
          />
        ))}
      </div>
    </section>
  )
}

const anchorOf = (name: string) => name.toLowerCase().replaceAll(/\W+/g, '-')

/** Calls `follow` whenever the address names another operation, and brings that operation into view. */
function useFollowedLinks(follow: (id: string | undefined) => void): void {
  const latest = useRef(follow)
  latest.current = follow
  useEffect(() => {
    const bring = () => {
      const id = operationIdOf(location.hash)
      // Opening and closing moves the rest of the page, so finish it before scrolling.
      flushSync(() => latest.current(id))
      const block = id === undefined ? null : document.getElementById(`operations-${tag}-${id}`)
      if (/^#\/?$/.test(location.hash)) scrollTo(0, 0)
      block?.scrollIntoView()
      block?.querySelector('button')?.focus({ preventScroll: true })
    }
    // At first, only if the URL names an operation: otherwise the focus must not move.
    if (operationIdOf(location.hash) !== undefined) bring()
    addEventListener('hashchange', bring)
    addEventListener('popstate', bring)
    return () => {
      removeEventListener('hashchange', bring)
      removeEventListener('popstate', bring)
    }
  }, [])
}

/** Keeps a row's position on the screen when another row above it closes. */
function useKeptPlace(openId: string | undefined): (id: string) => void {
  const scrollPlace = useRef<{ id: string; top: number }>(undefined)
  const topOf = (id: string) => document.getElementById(`operations-${tag}-${id}`)?.getBoundingClientRect().top ?? 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows move when another one opens.
  useLayoutEffect(() => {
    if (scrollPlace.current === undefined) return
    scrollBy(0, topOf(scrollPlace.current.id) - scrollPlace.current.top)
    scrollPlace.current = undefined
  }, [openId])
  return (id) => {
    scrollPlace.current = { id, top: topOf(id) }
  }
}

/** On a phone, Escape and a touch beside the list of operations close it. */
function useMenuThatCloses(isOpen: boolean, close: () => void): void {
  useEffect(() => {
    if (!isOpen) return
    const onPress = ({ target }: Event) => {
      if (target instanceof Element && target.closest('.side, .menu-button') === null) close()
    }
    const onKey = ({ key }: KeyboardEvent) => key === 'Escape' && close()
    addEventListener('pointerdown', onPress)
    addEventListener('keydown', onKey)
    return () => {
      removeEventListener('pointerdown', onPress)
      removeEventListener('keydown', onKey)
    }
  })
}

function useTitle(page: string, summary: string | undefined): void {
  useEffect(() => {
    document.title = [summary, page, environmentName].filter(Boolean).join(' · ')
  }, [page, summary])
}

type FilterProps = { value: string; onChange: (value: string) => void; count: number | undefined }

function Filter({ value, onChange, count }: FilterProps) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select')
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      input.current?.focus()
      input.current?.select()
    }
    addEventListener('keydown', focus)
    return () => removeEventListener('keydown', focus)
  }, [])
  return (
    <search className="filter">
      <label className="visually-hidden" htmlFor={id}>
        Filter operations
      </label>
      <input
        ref={input}
        id={id}
        type="search"
        placeholder="Filter operations"
        autoComplete="off"
        spellCheck={false}
        aria-keyshortcuts="/"
        value={value}
        onChange={({ target }) => onChange(target.value)}
        onKeyDown={(event) => {
          const links = () => document.querySelectorAll<HTMLElement>('#side nav a')
          if (event.key === 'Escape') onChange('')
          else if (event.key === 'ArrowDown') links()[0]?.focus()
          else if (event.key === 'Enter') links()[0]?.click()
          else return
          event.preventDefault()
        }}
      />
      {value === '' && (
        <span className="key" aria-hidden="true">
          /
        </span>
      )}
      <p className="hint" role="status">
        {count !== undefined && (count === 1 ? '1 operation' : `${count} operations`)}
      </p>
    </search>
  )
}

function Mark() {
  return (
    <svg viewBox="0 0 32 32" width="24" height="24" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="#1f5fbf" />
      <path
        d="M8 9h2.5v2.5H8zm5 0h11v2.5H13zM8 14.75h2.5v2.5H8zm5 0h11v2.5H13zM8 20.5h2.5V23H8zm5 0h7V23h-7z"
        fill="#fff"
      />
    </svg>
  )
}
