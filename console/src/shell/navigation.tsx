import { Trans, useLingui } from '@lingui/react/macro'
import { ActionIcon } from '@mantine/core'
import { Link, type LinkProps } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import type { Me } from 'rollbook/client'
import { placeOf } from '../api/base.ts'
import { can } from '../api/me.ts'
import {
  IconChart,
  IconClose,
  IconCode,
  IconHistory,
  IconImport,
  IconKey,
  IconMenu,
  IconServer,
  IconShield,
  IconTrash,
  IconUsers,
  IconWebhook,
} from '../ui/icons.tsx'
import styles from './navigation.module.css'

const PersonMenu = lazy(() => import('./person-menu.tsx'))

type Props = { me: Me | undefined; isOpen: boolean; onToggle: () => void; onClose: () => void }
type Place = { to: NonNullable<LinkProps['to']>; label: string; icon: ReactNode; needs?: string }

export function Navigation({ me, isOpen, onToggle, onClose }: Props) {
  const { t } = useLingui()
  const groups: { title: string; places: Place[] }[] = [
    {
      title: t`People`,
      places: [
        { to: '/users', label: t`Users`, icon: <IconUsers />, needs: 'users:read' },
        { to: '/statistics', label: t`Statistics`, icon: <IconChart />, needs: 'users:read' },
        { to: '/imports', label: t`Import and export`, icon: <IconImport />, needs: 'users:import' },
        { to: '/deleted-users', label: t`Deleted users`, icon: <IconTrash />, needs: 'users:read' },
        { to: '/audit', label: t`Audit`, icon: <IconHistory />, needs: 'audit:read' },
      ],
    },
    {
      title: t`Access`,
      places: [
        { to: '/roles', label: t`Roles`, icon: <IconShield /> },
        { to: '/keys', label: t`API keys`, icon: <IconKey />, needs: 'keys:read' },
        { to: '/webhooks', label: t`Webhooks`, icon: <IconWebhook />, needs: 'webhooks:read' },
        { to: '/system', label: t`System`, icon: <IconServer />, needs: 'metrics:read' },
      ],
    },
  ]
  return (
    // Not a <header>: a dialog's header would count as a second one of the page.
    <section className={styles.side} data-open={isOpen} aria-label={t`Menu`}>
      <div className={styles.top}>
        <Link to="/users" className={styles.brand}>
          <Mark />
          <span className={styles.label}>Rollbook</span>
        </Link>
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
        <nav className={styles.nav} aria-label={t`Main`}>
          {groups.map(({ title, places }) => (
            <div key={title} className={styles.group}>
              <h2>{title}</h2>
              <ul>
                {places
                  .filter(({ needs }) => needs === undefined || me === undefined || can(me, needs))
                  .map(({ to, label, icon }) => (
                    <li key={label}>
                      <Link
                        to={to}
                        className={styles.link ?? ''}
                        title={label}
                        activeProps={{ 'aria-current': 'page' }}
                      >
                        {icon}
                        <span className={styles.label}>{label}</span>
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
      <PersonMenu className={styles.person ?? ''}>
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
