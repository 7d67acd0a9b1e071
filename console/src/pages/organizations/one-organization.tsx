/** One organization: what belongs to it, in tabs, and the changes of itself. */
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Tabs } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import type { Organization } from 'rollbook/client'
import { can, useCan, useCanEverywhere, useMe } from '../../api/me.ts'
import { organizationQuery } from '../../data/organizations.ts'
import type { OrganizationTab } from '../../data/search/organizations.ts'
import { Page } from '../../layout/page.tsx'
import { FileBadge } from '../../parts/managed/managed-by-file.tsx'
import tabStyles from '../../parts/user-details/user.module.css'
import { BackLink } from '../../ui/back-link.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Active } from '../../ui/user-state.tsx'
import { WaitingSections } from '../../ui/waiting-sections.tsx'
import { AuditTab } from './audit-tab.tsx'
import { BrandingTab } from './branding-tab.tsx'
import { DomainsTab } from './domains-tab.tsx'
import { GroupsTab } from './groups-tab.tsx'
import { KeysTab } from './keys-tab.tsx'
import styles from './organizations.module.css'
import { ProvisioningTab } from './provisioning-tab.tsx'
import { useSetupFeatures } from './setup-features.ts'
import { SetupLinksTab } from './setup-links-tab.tsx'
import { SignInTab } from './sign-in-tab.tsx'
import { UsersTab } from './users-tab.tsx'

const EditOrganizationDialog = lazy(() => import('./edit-organization-dialog.tsx'))
const ActivationDialog = lazy(() => import('./activation-dialog.tsx'))
const DeleteOrganizationDialog = lazy(() => import('./delete-organization-dialog.tsx'))

type Props = {
  organizationId: string
  tab: OrganizationTab | undefined
  onTab: (tab: OrganizationTab) => void
}

export function OneOrganization({ organizationId, tab, onTab }: Props) {
  const { t } = useLingui()
  const { data: organization, error, refetch } = useQuery(organizationQuery(organizationId))
  const isOfAll = useCanEverywhere('organizations:read')
  const [opened, setOpened] = useState<'edit' | 'activation' | 'delete' | undefined>()
  const close = () => setOpened(undefined)
  return (
    <Page
      title={organization?.name ?? t`Organization`}
      back={
        isOfAll && (
          <BackLink to="/organizations">
            <Trans>Organizations</Trans>
          </BackLink>
        )
      }
      description={organization && <About organization={organization} />}
      calls={[{ operation: 'GET /organizations/{organization_id}', path: { organization_id: organizationId } }]}
      actions={organization && <Actions organization={organization} onOpen={setOpened} />}
    >
      {error && <Problem error={error} retry={() => void refetch()} title={t`Could not load the organization.`} />}
      {organization === undefined && !error && <WaitingSections heights={[36, 300]} />}
      {organization !== undefined && <Parts organization={organization} tab={tab} onTab={onTab} />}
      <Suspense fallback={null}>
        {organization !== undefined && opened === 'edit' && (
          <EditOrganizationDialog organization={organization} onClose={close} />
        )}
        {organization !== undefined && opened === 'activation' && (
          <ActivationDialog organization={organization} onClose={close} />
        )}
        {organization !== undefined && opened === 'delete' && (
          <DeleteOrganizationDialog organization={organization} onClose={close} />
        )}
      </Suspense>
    </Page>
  )
}

type ActionsProps = { organization: Organization; onOpen: (dialog: 'edit' | 'activation' | 'delete') => void }

/** An administrator of the organization changes its name; the rest is for those of the service. */
function Actions({ organization: { active }, onOpen }: ActionsProps) {
  const mayWrite = useCanEverywhere('organizations:write')
  const isOfAll = useCanEverywhere('users:write')
  const mayRename = useCan('users:write') && !isOfAll
  if (!mayWrite && !mayRename) return null
  return (
    <>
      {mayWrite && (
        <>
          <Button variant="default" onClick={() => onOpen('delete')}>
            <Trans>Delete organization</Trans>
          </Button>
          <Button variant="default" onClick={() => onOpen('activation')}>
            {active ? <Trans>Disable organization</Trans> : <Trans>Enable organization</Trans>}
          </Button>
        </>
      )}
      <Button variant="default" onClick={() => onOpen('edit')}>
        {mayWrite ? <Trans>Edit organization</Trans> : <Trans>Rename organization</Trans>}
      </Button>
    </>
  )
}

function About({ organization }: { organization: Organization }) {
  const { active, external_id, second_factor } = organization
  return (
    <span className={styles.about}>
      <Active active={active} />
      <FileBadge of={organization} />
      {second_factor === 'required' && (
        <Badge>
          <Trans>Second factor required</Trans>
        </Badge>
      )}
      {external_id !== null && (
        <span>
          <Trans>External ID</Trans> <code dir="ltr">{external_id}</code>
        </span>
      )}
    </span>
  )
}

type PartsProps = Pick<Props, 'tab' | 'onTab'> & { organization: Organization }

function Parts({ organization, tab, onTab }: PartsProps) {
  const { t } = useLingui()
  const tabs = useTabs(organization)
  const visibleTab = tabs.find(({ name }) => name === tab)?.name ?? tabs[0]?.name ?? null
  const list = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the shown tab, where not all fit.
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [visibleTab])
  if (visibleTab === null) return null
  return (
    <Tabs
      value={visibleTab}
      color="var(--rb-accent)"
      keepMounted={false}
      onChange={(next) => next !== null && onTab(next as OrganizationTab)}
    >
      <Tabs.List ref={list} className={tabStyles.tabs ?? ''} aria-label={t`Parts of the organization`}>
        {tabs.map(({ name, label }) => (
          <Tabs.Tab key={name} value={name}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(({ name, panel }) => (
        <Tabs.Panel key={name} value={name} className={tabStyles.panel ?? ''}>
          {panel}
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}

type Tab = { name: OrganizationTab; label: string; needs?: string; panel: ReactNode }

/** The tabs that the viewer may see. */
function useTabs(organization: Organization): Tab[] {
  const { t } = useLingui()
  const me = useMe()
  const { mine } = useSetupFeatures()
  const tabs: Tab[] = [
    { name: 'users', label: t`Users`, needs: 'users:read', panel: <UsersTab organization={organization} /> },
    { name: 'groups', label: t`Groups`, needs: 'groups:read', panel: <GroupsTab organization={organization} /> },
    { name: 'domains', label: t`Domains`, panel: <DomainsTab organization={organization} /> },
    {
      name: 'sign-in',
      label: t`Company sign-in`,
      needs: 'connections:read',
      panel: <SignInTab organization={organization} />,
    },
    {
      name: 'provisioning',
      label: t`Provisioning`,
      needs: 'provisioning:read',
      panel: <ProvisioningTab organization={organization} />,
    },
    { name: 'keys', label: t`API keys`, needs: 'keys:read', panel: <KeysTab organization={organization} /> },
    ...(mine.length > 0
      ? [
          {
            name: 'setup-links',
            label: t`Setup links`,
            panel: <SetupLinksTab organization={organization} />,
          } as const,
        ]
      : []),
    {
      name: 'branding',
      label: t`Branding`,
      needs: 'branding:write',
      panel: <BrandingTab organization={organization} />,
    },
    { name: 'audit', label: t`Audit`, needs: 'audit:read', panel: <AuditTab organization={organization} /> },
  ]
  return tabs.filter(({ needs }) => needs === undefined || can(me, needs))
}
