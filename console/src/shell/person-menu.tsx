import { Trans, useLingui } from '@lingui/react/macro'
import { Menu, useMantineColorScheme } from '@mantine/core'
import { type ReactNode, useRef, useState } from 'react'
import { consoleBase, placeAndBack, placeOf } from '../api/base.ts'
import { api } from '../api/client.ts'
import { chooseLanguage, type Language, languageOf, languages } from '../locales/i18n.ts'
import { forgetAllPlans } from '../pages/import-and-export/kept-plans.ts'
import { openShortcutList } from '../shortcuts/shortcuts.ts'
import { detailOf } from '../ui/problem.tsx'
import { showToast } from '../ui/toasts.tsx'

type Props = {
  className: string
  /** An administrator acts as the user, and is not signed out but stops that. */
  isActedAs: boolean
  children: ReactNode
}

/** The menu of the signed-in user. It is open when first rendered. */
export default function PersonMenu({ className, isActedAs, children }: Props) {
  const { t, i18n } = useLingui()
  const [isOpen, setIsOpen] = useState(true)
  const button = useRef<HTMLButtonElement>(null)
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const schemes = { auto: t`Same as the system`, light: t`Light`, dark: t`Dark` } as const
  async function signOut() {
    try {
      await api.sessions.endCurrent()
      await forgetAllPlans()
      location.assign(isActedAs ? consoleBase : placeOf('login'))
    } catch (error) {
      showToast({ kind: 'fault', message: detailOf(error, t`The service cannot be reached; you are still signed in.`) })
    }
  }
  return (
    <Menu
      opened={isOpen}
      onChange={(next) => {
        setIsOpen(next)
        // A placeholder button opened it the first time.
        if (!next) button.current?.focus()
      }}
      returnFocus={false}
      position="top-start"
      width={216}
      withinPortal={false}
      withInitialFocusPlaceholder={false}
      shadow="md"
    >
      <Menu.Target>
        <button ref={button} type="button" className={className}>
          {children}
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component="a" href={placeAndBack('account')}>
          <Trans>Your account</Trans>
        </Menu.Item>
        <Menu.Item onClick={openShortcutList} rightSection={<kbd>?</kbd>}>
          <Trans>Keyboard shortcuts</Trans>
        </Menu.Item>
        <Menu.RadioGroup value={colorScheme} onChange={(scheme) => setColorScheme(scheme as keyof typeof schemes)}>
          <Menu.Label>
            <Trans>Appearance</Trans>
          </Menu.Label>
          {Object.entries(schemes).map(([scheme, name]) => (
            <Menu.RadioItem key={scheme} value={scheme}>
              {name}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.RadioGroup
          value={languageOf(i18n.locale)}
          onChange={(language) => void chooseLanguage(language as Language)}
        >
          <Menu.Label>
            <Trans>Language</Trans>
          </Menu.Label>
          {Object.entries(languages).map(([language, name]) => (
            <Menu.RadioItem key={language} value={language} lang={language}>
              {name}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item onClick={() => void signOut()}>
          {isActedAs ? <Trans>Stop acting as this user</Trans> : <Trans>Sign out</Trans>}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
