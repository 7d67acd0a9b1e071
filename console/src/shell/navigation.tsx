import { Trans, useLingui } from '@lingui/react/macro'
import { ActionIcon } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useRouterState } from '@tanstack/react-router'
import { lazy, type RefObject, Suspense, useEffect, useRef, useState } from 'react'
import type { Me } from 'rollbook/client'
import { placeOf } from '../api/base.ts'
import { ownOrganizationOf } from '../api/me.ts'
import { mostCounted, waitingCountQuery } from '../data/access-requests.ts'
import { productName } from '../lib/page-names.ts'
import { openPalette } from '../palette/open-palette.tsx'
import { usePlaces } from '../palette/places.tsx'
import { EnvironmentTag } from '../ui/environment-tag.tsx'
import { IconClose, IconCode, IconMenu, IconSearch } from '../ui/icons.tsx'
import styles from './navigation.module.css'

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent)

const PersonMenu = lazy(() => import('./person-menu.tsx'))

type Props = { me: Me | undefined; isOpen: boolean; onToggle: () => void; onClose: () => void }

export function Navigation({ me, isOpen, onToggle, onClose }: Props) {
  const { t } = useLingui()
  const groups = usePlaces(me)
  const nav = useCurrentInView(groups.flatMap(({ places }) => places).length)
  const organization = me && ownOrganizationOf(me)
  return (
    // Not a <header>: a dialog's header would count as a second one of the page.
    <section className={styles.side} data-open={isOpen} aria-label={t`Menu`}>
      <div className={styles.top}>
        <Link to="/users" className={styles.brand}>
          <Mark />
          <bdi className={styles.product} title={productName}>
            {productName}
          </bdi>
        </Link>
        <EnvironmentTag />
        {organization !== undefined && (
          <Link to="/organization" className={styles.organization ?? ''} dir="auto" title={organization.name}>
            {organization.name}
          </Link>
        )}
        <ActionIcon
          className={styles.toggle}
          variant="transparent"
          color="white"
          size="xl"
          aria-haspopup="dialog"
          aria-label={t`Find`}
          onClick={openPalette}
        >
          <IconSearch size={22} />
        </ActionIcon>
        <ActionIcon
          className={styles.toggle}
          variant="transparent"
          color="white"
          size="xl"
          aria-expanded={isOpen}
          aria-controls="navigation"
          aria-label={isOpen ? t`Close the menu` : t`Open the menu`}
          onClick={onToggle}
        >
          {isOpen ? <IconClose size={22} /> : <IconMenu size={22} />}
        </ActionIcon>
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: only the Escape of what is inside. */}
      <div id="navigation" className={styles.panel} onKeyDown={(event) => event.key === 'Escape' && onClose()}>
        <button
          type="button"
          className={styles.find}
          title={t`Find`}
          aria-haspopup="dialog"
          aria-keyshortcuts="Control+K Meta+K"
          onClick={openPalette}
        >
          <IconSearch size={18} />
          <span className={styles.label}>
            <Trans>Find</Trans>
          </span>
          <span className={styles.keys} aria-hidden="true">
            {isApple ? '⌘K' : 'Ctrl K'}
          </span>
        </button>
        <nav ref={nav} className={styles.nav} aria-label={t`Main`}>
          {groups.map(({ title, places }) => (
            <div key={title} className={styles.group}>
              <h2>{title}</h2>
              <ul>
                {places.map(({ to, label, icon }) => (
                  <li key={label}>
                    <Link to={to} className={styles.link ?? ''} title={label} activeProps={{ 'aria-current': 'page' }}>
                      {icon}
                      <span className={styles.label}>{label}</span>
                      {to === '/access-requests' && <WaitingCount />}
                    </Link>
                  </li>
                ))}
              </ul>
            </div>
          ))}
          <div className={styles.group}>
            <ul>
              <li>
                <a className={styles.link} href={placeOf('docs')} target="_blank" rel="noreferrer">
                  <IconCode />
                  <span className={styles.label}>
                    <Trans>API documentation</Trans>
                  </span>
                </a>
              </li>
            </ul>
          </div>
        </nav>
        {me && <Person me={me} />}
      </div>
    </section>
  )
}

/** On a low screen the navigation scrolls by itself: the link of the current page stays in view. */
function useCurrentInView(count: number): RefObject<HTMLElement | null> {
  const nav = useRef<HTMLElement>(null)
  const path = useRouterState({ select: ({ location }) => location.pathname })
  // biome-ignore lint/correctness/useExhaustiveDependencies: another link is current, or others are there.
  useEffect(() => {
    const element = nav.current
    if (element === null) return
    const bring = () => element.querySelector('[aria-current="page"]')?.scrollIntoView({ block: 'nearest' })
    bring()
    const observer = new ResizeObserver(bring)
    observer.observe(element)
    return () => observer.disconnect()
  }, [path, count])
  return nav
}

/** How many requests for access wait for a decision. */
function WaitingCount() {
  const { t } = useLingui()
  const { data = 0 } = useQuery(waitingCountQuery)
  if (data === 0) return null
  const text = data === mostCounted ? `${mostCounted}+` : String(data)
  return (
    <span className={styles.count} role="img" aria-label={t`${text} waiting`}>
      {text}
    </span>
  )
}

function Person({ me }: { me: Me }) {
  const [isWanted, setIsWanted] = useState(false)
  const button = (
    <button type="button" className={styles.person} aria-haspopup="menu" onClick={() => setIsWanted(true)}>
      <PersonName me={me} />
    </button>
  )
  // The menu loads its positioning code, so load it only when it is opened.
  return isWanted ? (
    <Suspense fallback={button}>
      <PersonMenu className={styles.person ?? ''} isActedAs={me.act !== undefined}>
        <PersonName me={me} />
      </PersonMenu>
    </Suspense>
  ) : (
    button
  )
}

function PersonName({ me }: { me: Me }) {
  const name = `${me.first_name} ${me.last_name}`.trim()
  return (
    <>
      <span className={styles.avatar} aria-hidden="true">
        {(name || me.username).slice(0, 1).toUpperCase()}
      </span>
      <span className={styles.who}>
        <strong>{name || me.username}</strong>
        <span>{me.role}</span>
      </span>
    </>
  )
}

function Mark() {
  return (
    <svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="#3b78cf" />
      <path
        d="M8 9h2.5v2.5H8zm5 0h11v2.5H13zM8 14.75h2.5v2.5H8zm5 0h11v2.5H13zM8 20.5h2.5V23H8zm5 0h7V23h-7z"
        fill="#fff"
      />
    </svg>
  )
}
