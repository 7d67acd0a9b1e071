import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Skeleton, Stack, Tabs } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useCallback, useContext, useEffect, useRef, useState } from 'react'
import { RollbookError, type User } from 'rollbook/client'
import { useCan, useMe } from '../../../api/me.ts'
import { hidden, PageCalls } from '../../../api/page-calls.ts'
import { useOrganizationsInUse } from '../../../data/organizations.ts'
import { lastSearch } from '../../../data/search/last-users.ts'
import type { UserTab } from '../../../data/search/user.ts'
import { nameOf, signInQuery, userQuery } from '../../../data/users.ts'
import { Page } from '../../../layout/page.tsx'
import { OrganizationLink } from '../../../parts/organizations/organization-link.tsx'
import { useMayAct } from '../../../parts/user-actions/use-may-act.ts'
import { useUserActions } from '../../../parts/user-actions/use-user-actions.ts'
import type { UserDialog } from '../../../parts/user-actions/user-dialogs.tsx'
import { AccountState } from '../../../parts/user-details/account-state.tsx'
import { UnsavedChanges } from '../../../parts/user-details/unsaved-changes.tsx'
import styles from '../../../parts/user-details/user.module.css'
import { Badge } from '../../../ui/badge.tsx'
import { IconDown } from '../../../ui/icons.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { Role } from '../../../ui/user-state.tsx'
import { DatabaseTab } from './database-tab.tsx'
import { DetailsTab } from './details-tab.tsx'
import { GroupsTab } from './groups-tab.tsx'
import { HistoryTab } from './history-tab.tsx'
import { KeysTab } from './keys-tab.tsx'
import { BackToUsers, MissingUser } from './missing-user.tsx'
import { PasswordTab } from './password-tab.tsx'
import { SecurityTab } from './security-tab.tsx'
import { SessionsTab } from './sessions-tab.tsx'
import { SignInAnswer } from './sign-in-answer.tsx'

const UserMenu = lazy(() => import('../../../parts/user-actions/user-menu.tsx'))
const UserDialogs = lazy(() => import('../../../parts/user-actions/user-dialogs.tsx'))
const DeleteDialog = lazy(() => import('./delete-dialog.tsx'))
const route = '/shell/users/$userId'

export default function UserPage() {
  const { userId } = useParams({ from: route })
  // A new key for each user, so that no form state is carried over.
  return <OneUser key={userId} userId={userId} />
}

function OneUser({ userId }: { userId: string }) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const { data: user, error, refetch } = useQuery(userQuery(userId))
  const [deleting, setDeleting] = useState<User | undefined>()
  const [isDeleteOpen, setIsDeleteOpen] = useState(false)
  const isMissing = error instanceof RollbookError && error.status === 404
  return (
    <>
      {isMissing && !isDeleteOpen ? (
        <MissingUser userId={userId} />
      ) : user !== undefined ? (
        <Found
          user={user}
          onDelete={() => {
            setDeleting(user)
            setIsDeleteOpen(true)
          }}
        />
      ) : error !== null ? (
        <Page title={t`User`} back={<BackToUsers />}>
          <Problem error={error} retry={() => void refetch()} title={t`Could not load the user.`} />
        </Page>
      ) : (
        <Waiting />
      )}
      {deleting && (
        <Suspense fallback={null}>
          <DeleteDialog
            user={deleting}
            isOpen={isDeleteOpen}
            onClose={() => setIsDeleteOpen(false)}
            onDeleted={() => void navigate({ to: '/users', search: lastSearch(), ignoreBlocker: true })}
            onRestored={() => {
              setIsDeleteOpen(false)
              void refetch()
            }}
          />
        </Suspense>
      )}
    </>
  )
}

type Tab = [UserTab, string, React.ReactNode]
type OnDirty = (isDirty: boolean) => void

function Found({ user, onDelete }: { user: User; onDelete: () => void }) {
  const { t } = useLingui()
  const { tab = 'details' } = useSearch({ from: route })
  const navigate = useNavigate({ from: '/users/$userId' })
  const mayAct = useMayAct(user)
  const { data: signIn } = useQuery(signInQuery(user.user_id))
  const { actions } = useUserActions()
  const [menu, setMenu] = useState<DOMRect>()
  const [dialog, setDialog] = useState<UserDialog>()
  // A visited tab stays mounted, with its typed input.
  const [visited, setVisited] = useState<readonly UserTab[]>([tab])
  if (!visited.includes(tab)) setVisited([...visited, tab])
  const [dirty, setDirty] = useState({ details: false, password: false })
  const onDetailsDirty = useCallback((details: boolean) => setDirty((now) => ({ ...now, details })), [])
  const onPasswordDirty = useCallback((password: boolean) => setDirty((now) => ({ ...now, password })), [])
  const tabs = useTabs(user, onDetailsDirty, onPasswordDirty)
  const visibleTab = tabs.some(([name]) => name === tab) ? tab : 'details'
  const name = nameOf(user)
  const list = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the shown tab, where not all fit.
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [visibleTab])
  return (
    <Page
      title={name || user.username}
      back={<BackToUsers />}
      changes={['users:write']}
      of={user}
      actions={
        mayAct && (
          <Button
            variant="default"
            rightSection={<IconDown />}
            aria-haspopup="menu"
            aria-expanded={menu !== undefined}
            onClick={({ currentTarget }) => setMenu(currentTarget.getBoundingClientRect())}
          >
            <Trans>Actions</Trans>
          </Button>
        )
      }
      description={<Under user={user} name={name} isLocked={signIn?.locked ?? false} />}
    >
      <SignInAnswer
        user={user}
        onPassword={() => setDialog({ kind: 'password', user })}
        onInvite={() => setDialog({ kind: 'invite', user })}
        onEnable={() => void actions.setActive(user, true)}
      />
      <Tabs
        value={visibleTab}
        color="var(--rb-accent)"
        keepMounted
        keepMountedMode="display-none"
        onChange={(next) =>
          void navigate({
            search: next === 'details' || next === null ? {} : { tab: next as UserTab },
            replace: true,
            resetScroll: false,
          })
        }
      >
        <Tabs.List ref={list} className={styles.tabs ?? ''} aria-label={t`Parts of the user`}>
          {tabs.map(([value, label]) => (
            <Tabs.Tab key={value} value={value}>
              {label}
              {((value === 'details' && dirty.details) || (value === 'password' && dirty.password)) && (
                <span className={styles.unsaved} role="img" aria-label={t`not saved`} />
              )}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map(([value, , panel]) => (
          <Tabs.Panel key={value} value={value} className={styles.panel ?? ''}>
            {visited.includes(value) && <Calls isShown={value === visibleTab}>{panel}</Calls>}
          </Tabs.Panel>
        ))}
      </Tabs>
      <Suspense fallback={null}>
        {menu && (
          <UserMenu
            isOnPage
            user={user}
            anchor={menu}
            actions={actions}
            onDialog={setDialog}
            onDelete={onDelete}
            onClose={() => setMenu(undefined)}
          />
        )}
        {dialog && <UserDialogs dialog={dialog} onClose={() => setDialog(undefined)} />}
      </Suspense>
      <UnsavedChanges isDirty={dirty.details || dirty.password} />
    </Page>
  )
}

/** The tabs that the viewer may see. */
function useTabs(user: User, onDetailsDirty: OnDirty, onPasswordDirty: OnDirty): Tab[] {
  const { t } = useLingui()
  const mayWrite = useCan('users:write', user)
  const maySeeSessions = useCan('sessions:read')
  const maySeeHistory = useCan('audit:read')
  const maySeeGroups = useCan('groups:read')
  const maySeeKeys = useCan('keys:read')
  const waysIn: Tab[] = [
    ...(mayWrite
      ? [['password', t`Password`, <PasswordTab key="password" user={user} onDirty={onPasswordDirty} />] satisfies Tab]
      : []),
    ['security', t`Security`, <SecurityTab key="security" user={user} />],
    ...(maySeeSessions ? [['sessions', t`Sessions`, <SessionsTab key="sessions" user={user} />] satisfies Tab] : []),
  ]
  const keys: Tab[] = maySeeKeys ? [['keys', t`Keys`, <KeysTab key="keys" user={user} />]] : []
  return [
    ['details', t`Details`, <DetailsTab key="details" user={user} onDirty={onDetailsDirty} />],
    ...(maySeeGroups ? [['groups', t`Groups`, <GroupsTab key="groups" user={user} />] satisfies Tab] : []),
    ...(user.kind === 'service' ? keys : waysIn),
    ...(maySeeHistory ? [['history', t`History`, <HistoryTab key="history" user={user} />] satisfies Tab] : []),
    ['database', t`Database account`, <DatabaseTab key="database" user={user} />],
  ]
}

/** The line below the name. */
function Under({ user, name, isLocked }: { user: User; name: string; isLocked: boolean }) {
  const isMe = useMe().user_id === user.user_id
  const hasOrganizations = useOrganizationsInUse()
  return (
    <span className={styles.under}>
      {name !== '' && <bdi>{user.username}</bdi>}
      <Role role={user.role} />
      {user.kind === 'service' && (
        <Badge>
          <Trans>Service account</Trans>
        </Badge>
      )}
      {hasOrganizations && user.organization_id !== undefined && (
        <OrganizationLink organizationId={user.organization_id} />
      )}
      <AccountState user={user} isLocked={isLocked} />
      {isMe && (
        <Badge kind="accent">
          <Trans>You</Trans>
        </Badge>
      )}
    </span>
  )
}

/** Excludes the requests of hidden tabs. */
function Calls({ isShown, children }: { isShown: boolean; children: React.ReactNode }) {
  const add = useContext(PageCalls)
  return <PageCalls value={isShown ? add : hidden}>{children}</PageCalls>
}

function Waiting() {
  const { t } = useLingui()
  return (
    <Page title={t`User`} back={<BackToUsers />}>
      <Stack aria-busy="true" gap="lg">
        <Skeleton height={36} />
        <div className={styles.columns}>
          <Skeleton height={420} />
          <Skeleton height={300} />
        </div>
      </Stack>
    </Page>
  )
}
