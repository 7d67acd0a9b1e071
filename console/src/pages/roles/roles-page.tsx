import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button, Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useLayoutEffect, useRef, useState } from 'react'
import type { Role } from 'rollbook/client'
import { ownOrganizationOf, useCan, useMe } from '../../api/me.ts'
import { useIsNamed } from '../../data/organizations.ts'
import { canGrant, rolesQuery } from '../../data/roles.ts'
import { Page } from '../../layout/page.tsx'
import {
  type BuiltInPermission,
  everythingLimited,
  includesWord,
  limitedWord,
  ownWords,
  type PermissionGroup,
  permissionGroups,
  rolesSetting,
} from '../../lib/permission-groups.ts'
import { FileBadge } from '../../parts/managed/managed-by-file.tsx'
import { usePermissionTexts } from '../../parts/permissions/permission-texts.tsx'
import { useShortcut } from '../../shortcuts/shortcuts.ts'
import { Badge } from '../../ui/badge.tsx'
import { CopyLine } from '../../ui/copy.tsx'
import { IconCheck, IconPlus } from '../../ui/icons.tsx'
import { formatNumber } from '../../ui/number.ts'
import { Records } from '../../ui/records.tsx'
import { RowAction, RowActions } from '../../ui/row-actions.tsx'
import { Section } from '../../ui/section.tsx'
import styles from './roles-page.module.css'

const RoleDialog = lazy(() => import('./role-dialog.tsx'))
const DeleteRoleDialog = lazy(() => import('./delete-role-dialog.tsx'))

type Line = { word: string; meaning?: string }
type Block = { title: string; lines: Line[] }
type Opened = { dialog: 'create' } | { dialog: 'edit' | 'delete'; role: Role }
type OnOpen = (opened: Opened) => void

export default function RolesPage() {
  const { t } = useLingui()
  const query = useQuery(rolesQuery)
  const [opened, setOpened] = useState<Opened | undefined>()
  const close = () => setOpened(undefined)
  const mayWrite = useCan('roles:write')
  useShortcut('c', t`Create role`, () => setOpened({ dialog: 'create' }), { opensField: true, isOn: mayWrite })
  const blocks = useBlocks(query.data ?? [])
  return (
    <Page
      title={t`Roles`}
      description={
        <Trans>
          Each user has one role, which grants permissions. You can assign only roles that permit no more than your own.
        </Trans>
      }
      changes={['roles:write']}
      calls={[{ operation: 'GET /roles' }]}
      actions={
        mayWrite && (
          <Button leftSection={<IconPlus />} onClick={() => setOpened({ dialog: 'create' })}>
            <Trans>Create role</Trans>
          </Button>
        )
      }
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
            <Permissions roles={roles} blocks={blocks} onOpen={setOpened} />
            <SettingsRoles roles={roles} />
          </>
        )}
      </Records>
      <Suspense fallback={null}>
        {opened?.dialog === 'create' && <RoleDialog onClose={close} />}
        {opened?.dialog === 'edit' && <RoleDialog role={opened.role} onClose={close} />}
        {opened?.dialog === 'delete' && (
          <DeleteRoleDialog role={opened.role} roles={query.data ?? []} onClose={close} />
        )}
      </Suspense>
    </Page>
  )
}

/** The permissions of the API in their groups, and those of the product. */
function useBlocks(roles: readonly Role[]): Block[] {
  const { t } = useLingui()
  const { groups, meanings, withinOrganization } = usePermissionTexts()
  const own = ownWords(roles)
  const isNamed = useIsNamed()
  const isShown = (group: PermissionGroup) =>
    isNamed(group) ||
    permissionGroups[group].some((word) => roles.some(({ permissions }) => permissions.includes(word)))
  const isUsed = (word: string) =>
    roles.some(
      ({ permissions }) =>
        permissions.includes(word) ||
        (permissions.includes(everythingLimited) && includesWord([everythingLimited], word)),
    )
  const isOfOne = ownOrganizationOf(useMe()) !== undefined
  const blocks = (Object.keys(permissionGroups) as PermissionGroup[]).filter(isShown).map((group) => ({
    title: groups[group],
    lines: permissionGroups[group].flatMap((word: BuiltInPermission) => {
      const limited = limitedWord(word)
      return [
        // An administrator of an organization sees only what its roles permit.
        ...(!isOfOne || isUsed(word) ? [{ word, meaning: meanings[word] }] : []),
        ...(isUsed(limited) ? [{ word: limited, meaning: withinOrganization(meanings[word]) }] : []),
      ]
    }),
  }))
  const filled = blocks.filter(({ lines }) => lines.length > 0)
  return own.length === 0 ? filled : [...filled, { title: t`Your product`, lines: own.map((word) => ({ word })) }]
}

function permits({ permissions }: Role, word: string): boolean {
  return includesWord(permissions, word)
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

type ViewProps = { roles: readonly Role[]; blocks: readonly Block[]; onOpen: OnOpen }

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

function Matrix({ roles, blocks, onOpen }: ViewProps) {
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
                <RoleHead role={role} onOpen={onOpen} />
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

function RoleHead({ role: one, onOpen }: { role: Role; onOpen: OnOpen }) {
  const { t } = useLingui()
  const { role, description, built_in, permissions, managed_by, replaced_by, group_count } = one
  const me = useMe()
  const mayWrite = useCan('roles:write')
  const isOpen = !built_in && managed_by !== 'settings' && replaced_by === undefined
  return (
    <Stack gap={4} align="flex-start">
      <span className={styles.name}>{role}</span>
      {description !== '' && (
        <span className={styles.meaning} dir="auto">
          {description}
        </span>
      )}
      <span className={styles.badges}>
        {permissions.includes('*') && <Badge kind="warn">{t`Full access`}</Badge>}
        {permissions.length === 0 && <Badge>{t`No permissions`}</Badge>}
        {built_in && <Badge>{t`Built in`}</Badge>}
        {managed_by === 'settings' && <Badge>{t`Settings`}</Badge>}
        <FileBadge of={one} />
        {replaced_by !== undefined && <Badge kind="warn">{t`Being replaced by ${replaced_by}`}</Badge>}
      </span>
      <CountLink role={one} />
      {group_count > 0 && (
        <span className={styles.meaning}>
          <Plural value={group_count} one="# group" other="# groups" />
        </span>
      )}
      {mayWrite && isOpen && canGrant(me, one) && (
        <RowActions>
          <RowAction label={t`Edit the role ${role}`} onClick={() => onOpen({ dialog: 'edit', role: one })}>
            <Trans>Edit</Trans>
          </RowAction>
          <RowAction
            label={t`Delete the role ${role}`}
            tone="fault"
            onClick={() => onOpen({ dialog: 'delete', role: one })}
          >
            <Trans>Delete</Trans>
          </RowAction>
        </RowActions>
      )}
    </Stack>
  )
}

function CountLink({ role: { role, user_count } }: { role: Role }) {
  const { i18n } = useLingui()
  const countText = formatNumber(user_count, i18n.locale)
  return (
    <Link to="/users" search={{ role }} className={styles.count ?? ''}>
      <Plural value={user_count} one={`${countText} user`} other={`${countText} users`} />
    </Link>
  )
}

/** Instead of a table that does not fit. */
function Cards({ roles, blocks, onOpen }: ViewProps) {
  return (
    <ul className={styles.cards}>
      {roles.map((role) => {
        const lines = blocks.flatMap((block) => block.lines).filter(({ word }) => role.permissions.includes(word))
        return (
          <li key={role.role} className={styles.card}>
            <RoleHead role={role} onOpen={onOpen} />
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

/** The roles that only the operator changes. */
function SettingsRoles({ roles }: { roles: readonly Role[] }) {
  const configured = roles.filter(({ managed_by }) => managed_by === 'settings')
  if (configured.length === 0) return null
  return (
    <Section
      title={<Trans>Roles of the settings</Trans>}
      description={
        <Trans>These roles cannot be changed here. To change them, edit this value on every node and restart.</Trans>
      }
    >
      <CopyLine text={rolesSetting(configured)} label="ROLLBOOK_ROLES" />
    </Section>
  )
}
