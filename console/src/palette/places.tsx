/** The pages of the console that the signed-in user may read, for the navigation and the command palette. */
import { useLingui } from '@lingui/react/macro'
import type { LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Me } from 'rollbook/client'
import { can, canEverywhere, ownOrganizationOf } from '../api/me.ts'
import { useInUse } from '../data/organizations.ts'
import { isOn } from '../lib/features.ts'
import {
  IconAttributes,
  IconBrush,
  IconChart,
  IconCheck,
  IconClock,
  IconDoor,
  IconExport,
  IconGroups,
  IconHistory,
  IconImport,
  IconInbox,
  IconKey,
  IconMail,
  IconOrganization,
  IconPhone,
  IconProvisioning,
  IconServer,
  IconShield,
  IconTrash,
  IconUsers,
  IconWebhook,
} from '../ui/icons.tsx'

/** `isOfAll`: the page is about the whole service, also where `needs` can be limited to an organization. */
type Place = { to: NonNullable<LinkProps['to']>; label: string; icon: ReactNode; needs?: string; isOfAll?: true }

export function usePlaces(me: Me | undefined): { title: string; places: Place[] }[] {
  const { t } = useLingui()
  const hasOrganizations = useInUse(me)
  const isOfOne = me !== undefined && ownOrganizationOf(me) !== undefined
  const groups: { title: string; places: Place[] }[] = [
    {
      title: t`People`,
      places: [
        { to: '/users', label: t`Users`, icon: <IconUsers />, needs: 'users:read' },
        ...(isOn('access_requests')
          ? [{ to: '/access-requests', label: t`Access requests`, icon: <IconInbox />, needs: 'users:read' } as const]
          : []),
        { to: '/groups', label: t`Groups`, icon: <IconGroups />, needs: 'groups:read' },
        ...(hasOrganizations
          ? [{ to: '/organizations', label: t`Organizations`, icon: <IconOrganization /> } as const]
          : isOfOne
            ? [{ to: '/organization', label: t`Organization`, icon: <IconOrganization /> } as const]
            : []),
        { to: '/attributes', label: t`Attributes`, icon: <IconAttributes />, needs: 'attributes:read' },
        { to: '/statistics', label: t`Statistics`, icon: <IconChart />, needs: 'users:read' },
        { to: '/imports', label: t`Import and export`, icon: <IconImport />, needs: 'users:import' },
        { to: '/deleted-users', label: t`Deleted users`, icon: <IconTrash />, needs: 'users:read' },
        { to: '/audit', label: t`Audit`, icon: <IconHistory />, needs: 'audit:read' },
        { to: '/reviews', label: t`Access reviews`, icon: <IconCheck />, needs: 'reviews:read' },
      ],
    },
    {
      title: t`Access`,
      places: [
        { to: '/roles', label: t`Roles`, icon: <IconShield /> },
        { to: '/second-factors', label: t`Second factors`, icon: <IconPhone />, needs: 'users:read', isOfAll: true },
        { to: '/inactivity', label: t`Inactivity`, icon: <IconClock />, needs: 'policies:read' },
        { to: '/keys', label: t`API keys`, icon: <IconKey />, needs: 'keys:read' },
        { to: '/sign-in-connections', label: t`Company sign-in`, icon: <IconDoor />, needs: 'connections:read' },
        { to: '/provisioning', label: t`Provisioning`, icon: <IconProvisioning />, needs: 'provisioning:read' },
      ],
    },
    {
      title: t`Operation`,
      places: [
        { to: '/branding', label: t`Branding`, icon: <IconBrush />, needs: 'branding:write' },
        { to: '/configuration', label: t`Configuration`, icon: <IconExport />, needs: 'configuration:read' },
        { to: '/webhooks', label: t`Webhooks`, icon: <IconWebhook />, needs: 'webhooks:read' },
        { to: '/mails', label: t`Messages`, icon: <IconMail />, needs: 'mails:read' },
        { to: '/system', label: t`System`, icon: <IconServer />, needs: 'metrics:read' },
      ],
    },
  ]
  return groups.map(({ title, places }) => ({
    title,
    places: places.filter(
      ({ needs, isOfAll }) =>
        needs === undefined || me === undefined || (isOfAll ? canEverywhere(me, needs) : can(me, needs)),
    ),
  }))
}
