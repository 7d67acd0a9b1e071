import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { Role } from 'rollbook/client'
import { rolesQuery } from '../../data/roles.ts'
import { totalsQuery } from '../../data/statistics.ts'
import { Page } from '../../layout/page.tsx'
import { type BuiltInPermission, ownWords, permissionGroups, rolesSetting } from '../../lib/permission-groups.ts'
import { usePermissionTexts } from '../../parts/permissions/permission-texts.tsx'
import { Badge } from '../../ui/badge.tsx'
import { CopyLine } from '../../ui/copy.tsx'
import { IconCheck } from '../../ui/icons.tsx'
import { formatNumber } from '../../ui/number.ts'
import { Records } from '../../ui/records.tsx'
import { Section } from '../../ui/section.tsx'
import styles from './roles-page.module.css'

type Line = { word: string; meaning?: string }
type Block = { title: string; lines: Line[] }
type Counts = ReadonlyMap<string, number>

export default function RolesPage() {
  const { t } = useLingui()
  const query = useQuery(rolesQuery)
  const { data: statistics } = useQuery(totalsQuery)
  const counts = useMemo(() => new Map(statistics?.totals.roles.map(({ role, users }) => [role, users])), [statistics])
  const blocks = useBlocks(query.data ?? [])
  return (
    <Page
      title={t`Roles`}
      description={
        <Trans>
          Each user has one role, which grants permissions. You can assign only roles that permit no more than your own.
        </Trans>
      }
      calls={[{ operation: 'GET /roles' }, { operation: 'GET /statistics', query: { days: 1 } }]}
    >
      <Records
        source={query}
        rows={query.data}
        problem={t`Could not load the roles.`}
        waiting={<Skeleton height={420} aria-busy="true" />}
      >
        {(roles) => (
          <>
            <Administrators roles={roles} />
            <Permissions roles={roles} blocks={blocks} counts={counts} />
            <HowToChange roles={roles} />
          </>
        )}
      </Records>
    </Page>
  )
}

/** The permissions of the API in their groups, and those of the product. */
function useBlocks(roles: readonly Role[]): Block[] {
  const { t } = useLingui()
  const { groups, meanings } = usePermissionTexts()
  const own = ownWords(roles)
  const blocks = (Object.keys(permissionGroups) as (keyof typeof permissionGroups)[]).map((group) => ({
    title: groups[group],
    lines: permissionGroups[group].map((word: BuiltInPermission) => ({ word, meaning: meanings[word] })),
  }))
  return own.length === 0 ? blocks : [...blocks, { title: t`Your product`, lines: own.map((word) => ({ word })) }]
}

function permits({ permissions }: Role, word: string): boolean {
  return permissions.includes('*') || permissions.includes(word)
}

function Administrators({ roles }: { roles: readonly Role[] }) {
  const administering = roles.filter(({ permissions }) => permissions.includes('*')).map(({ role }) => role)
  const names = administering.join(', ')
  return (
    <p className={styles.note}>
      {administering.length === 1 ? (
        <Trans>
          <strong>{names}</strong> has full access, including permissions of later releases.
        </Trans>
      ) : (
        <Trans>
          <strong>{names}</strong> have full access, including permissions of later releases.
        </Trans>
      )}{' '}
      <Trans>The last active user with full access cannot be deleted, disabled or given another role.</Trans>
    </p>
  )
}

type ViewProps = { roles: readonly Role[]; blocks: readonly Block[]; counts: Counts }

/** The width of the table's columns, in rem. */
const [wordColumn, roleColumn] = [15, 7]

/** A table if every role fits, otherwise a card for each role. */
function Permissions(props: ViewProps) {
  const box = useRef<HTMLDivElement>(null)
  const [isWide, setIsWide] = useState<boolean>()
  const least = wordColumn + roleColumn * props.roles.length
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    const measure = () => {
      const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
      setIsWide(element.clientWidth >= least * rem)
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [least])
  return <div ref={box}>{isWide === undefined ? null : isWide ? <Matrix {...props} /> : <Cards {...props} />}</div>
}

function Matrix({ roles, blocks, counts }: ViewProps) {
  const { t } = useLingui()
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard, if a role has a long name.
    <section className={styles.box} tabIndex={0} aria-label={t`What each role permits`}>
      <table className={styles.matrix}>
        <thead>
          <tr>
            <th scope="col">{t`Permission`}</th>
            {roles.map((role) => (
              <th key={role.role} scope="col" className={styles.role}>
                <RoleHead role={role} count={counts.get(role.role)} />
              </th>
            ))}
          </tr>
        </thead>
        {blocks.map(({ title, lines }) => (
          <tbody key={title}>
            <tr className={styles.group}>
              <th scope="rowgroup" colSpan={roles.length + 1}>
                {title}
              </th>
            </tr>
            {lines.map(({ word, meaning }) => (
              <tr key={word}>
                <th scope="row">
                  <code dir="ltr">{word}</code>
                  {meaning !== undefined && <span className={styles.meaning}>{meaning}</span>}
                </th>
                {roles.map((role) => (
                  <td key={role.role} className={styles.cell}>
                    <Mark isHeld={permits(role, word)} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </section>
  )
}

function Mark({ isHeld }: { isHeld: boolean }) {
  return isHeld ? (
    <span className={styles.held}>
      <IconCheck />
      <span className="visually-hidden">
        <Trans>Yes</Trans>
      </span>
    </span>
  ) : (
    <span className={styles.lacking}>
      <span aria-hidden="true">–</span>
      <span className="visually-hidden">
        <Trans>No</Trans>
      </span>
    </span>
  )
}

function RoleHead({ role: { role, built_in, permissions }, count }: { role: Role; count: number | undefined }) {
  const { t } = useLingui()
  return (
    <Stack gap={4} align="flex-start">
      <span className={styles.name}>{role}</span>
      <span className={styles.badges}>
        {permissions.includes('*') && <Badge kind="warn">{t`Full access`}</Badge>}
        {permissions.length === 0 && <Badge>{t`No permissions`}</Badge>}
        {built_in && <Badge>{t`Built in`}</Badge>}
      </span>
      <CountLink role={role} count={count} />
    </Stack>
  )
}

function CountLink({ role, count }: { role: string; count: number | undefined }) {
  const { i18n } = useLingui()
  const countText = formatNumber(count ?? 0, i18n.locale)
  return (
    <Link to="/users" search={{ role }} className={styles.count ?? ''}>
      {count === undefined ? (
        <Trans>Users with the role {role}</Trans>
      ) : (
        <Plural value={count} one={`${countText} user`} other={`${countText} users`} />
      )}
    </Link>
  )
}

/** Instead of a table that does not fit. */
function Cards({ roles, blocks, counts }: ViewProps) {
  return (
    <ul className={styles.cards}>
      {roles.map((role) => {
        const lines = blocks.flatMap((block) => block.lines).filter(({ word }) => role.permissions.includes(word))
        return (
          <li key={role.role} className={styles.card}>
            <RoleHead role={role} count={counts.get(role.role)} />
            {lines.length > 0 && (
              <ul className={styles.permissions}>
                {lines.map(({ word, meaning }) => (
                  <li key={word}>
                    <code dir="ltr">{word}</code>
                    {meaning !== undefined && <span className={styles.meaning}>{meaning}</span>}
                  </li>
                ))}
              </ul>
            )}
          </li>
        )
      })}
    </ul>
  )
}

function HowToChange({ roles }: { roles: readonly Role[] }) {
  return (
    <Section
      title={<Trans>Change the roles</Trans>}
      description={
        <Trans>
          Roles are a setting of the service, so no request can extend them. To change them, edit this value on every
          node and restart.
        </Trans>
      }
    >
      <CopyLine text={rolesSetting(roles)} label="ROLLBOOK_ROLES" />
      <p className={styles.note}>
        <Trans>
          Permissions of your own, such as <code>reports:read</code>, are passed to your product in access tokens. Users
          whose role is removed have no permissions from then on.
        </Trans>
      </p>
    </Section>
  )
}
