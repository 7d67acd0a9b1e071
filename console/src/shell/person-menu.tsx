import { Trans, useLingui } from '@lingui/react/macro'
import { Menu, useMantineColorScheme } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { placeOf } from '../api/base.ts'
import { api } from '../api/client.ts'
import { chooseLanguage, type Language, languageOf, languages } from '../i18n.ts'
import { detailOf } from '../ui/problem.tsx'
import { showToast } from '../ui/toasts.tsx'
import { openShortcutList } from './shortcuts.tsx'

/** Of whoever is signed in; open when it is first shown. */
export default function PersonMenu({ className, children }: { className: string; children: ReactNode }) {
  const { t, i18n } = useLingui()
  const [isOpen, setIsOpen] = useState(true)
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const schemes = { auto: t`As the system`, light: t`Light`, dark: t`Dark` } as const
  async function signOut() {
    try {
      await api.sessions.endCurrent()
      location.assign(placeOf('login'))
    } catch (error) {
      showToast({ kind: 'fault', message: detailOf(error, t`The service cannot be reached; you are still signed in.`) })
    }
  }
  return (
    <Menu opened={isOpen} onChange={setIsOpen} position="top-start" width={216} withinPortal shadow="md">
      <Menu.Target>
        <button type="button" className={className}>
          {children}
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component={Link} to="/profile">
          <Trans>Your account</Trans>
        </Menu.Item>
        <Menu.Item onClick={openShortcutList} rightSection={<kbd>?</kbd>}>
          <Trans>Keyboard shortcuts</Trans>
        </Menu.Item>
        <Menu.Label>
          <Trans>Colours</Trans>
        </Menu.Label>
        {(['auto', 'light', 'dark'] as const).map((scheme) => (
          <Menu.Item
            key={scheme}
            role="menuitemradio"
            aria-checked={colorScheme === scheme}
            onClick={() => setColorScheme(scheme)}
            rightSection={colorScheme === scheme ? '✓' : undefined}
          >
            {schemes[scheme]}
          </Menu.Item>
        ))}
        <Menu.Label>
          <Trans>Language</Trans>
        </Menu.Label>
        {(Object.keys(languages) as Language[]).map((language) => (
          <Menu.Item
            key={language}
            lang={language}
            role="menuitemradio"
            aria-checked={languageOf(i18n.locale) === language}
            onClick={() => void chooseLanguage(language)}
            rightSection={languageOf(i18n.locale) === language ? '✓' : undefined}
          >
            {languages[language]}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={() => void signOut()}>
          <Trans>Sign out</Trans>
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
