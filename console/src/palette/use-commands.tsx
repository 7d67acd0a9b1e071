/** The pages and actions of the palette that the viewer may use. */
import { useLingui } from '@lingui/react/macro'
import { useMantineColorScheme } from '@mantine/core'
import { useLocation, useNavigate } from '@tanstack/react-router'
import type { Me } from 'rollbook/client'
import { placeAndBack, placeOf } from '../api/base.ts'
import { can } from '../api/me.ts'
import { openShortcutList, press, pressThere } from '../shortcuts/shortcuts.ts'
import { IconCode, IconImport, IconKeyboard, IconPlus, IconSun, IconUsers } from '../ui/icons.tsx'
import type { Entry } from './entry.ts'
import { usePlaces } from './places.tsx'

/** What a page is about, in the words that people look for it with. */
function usePageNotes(): Readonly<Record<string, string>> {
  const { t } = useLingui()
  return {
    '/access-requests': t`Approve, decline`,
    '/attributes': t`Custom fields`,
    '/imports': t`CSV, Excel, migration`,
    '/deleted-users': t`Restore, erase`,
    '/organizations': t`Customers, tenants, domains`,
    '/organization': t`Domains, setup links`,
    '/audit': t`Log, history, who changed what`,
    '/reviews': t`Recertification, who keeps which access`,
    '/roles': t`Permissions`,
    '/second-factors': t`Settings: policy, one-time codes, passkeys`,
    '/inactivity': t`Settings: disable users without sign-in, dormant accounts`,
    '/sign-in-connections': t`Settings: SSO, SAML, OpenID Connect, LDAP`,
    '/provisioning': t`Settings: SCIM, Okta, Entra ID`,
    '/branding': t`Settings: logo, colour, name, terms`,
    '/configuration': t`Settings: file, plan, apply, drift, GitOps`,
    '/webhooks': t`Settings: events, endpoints`,
    '/mails': t`Mail server, test message, templates`,
    '/system': t`Settings: nodes, checks, signing keys`,
  }
}

export function useCommands(me: Me): { pages: Entry[]; actions: Entry[] } {
  const { t } = useLingui()
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const isDark =
    colorScheme === 'dark' || (colorScheme === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches)
  const notes = usePageNotes()
  const places = usePlaces(me).flatMap((group) => group.places)
  /** The page has `c` for what it creates. */
  const create =
    (to: '/users' | '/groups' | '/organizations' | '/attributes' | '/keys' | '/provisioning' | '/webhooks') => () => {
      if (pathname.endsWith(to)) return void press('c')
      pressThere('c')
      void navigate({ to })
    }
  const pages = places.map(({ to, label, icon }) => ({
    id: to,
    label,
    note: notes[to],
    icon,
    run: () => void navigate({ to }),
  }))
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
      id: 'organization',
      label: t`Create organization`,
      icon: <IconPlus />,
      run: create('/organizations'),
      needs: 'organizations:write',
    },
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
      {
        id: 'account',
        label: t`Your account`,
        note: t`Password, passkeys, sessions, language`,
        icon: <IconUsers />,
        run: () => location.assign(placeAndBack('account')),
      },
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
