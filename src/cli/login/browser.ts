/** Opens the browser of the person at this machine. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'

type Environment = NodeJS.ProcessEnv

/** Why this machine probably has no browser that its user sees; undefined if it has one. */
export function lacksBrowser(env: Environment, platform: NodeJS.Platform): string | undefined {
  if (env.BROWSER) return undefined
  if (env.SSH_CONNECTION || env.SSH_TTY || env.SSH_CLIENT) return 'This is a session over SSH'
  const hasDisplay = platform === 'darwin' || platform === 'win32' || env.DISPLAY || env.WAYLAND_DISPLAY
  return hasDisplay ? undefined : 'This machine has no display'
}

/** Returns whether a program was started for it. The address has no secret: other users of the machine can see it. */
export async function openBrowser(address: string, env: Environment, platform: NodeJS.Platform): Promise<boolean> {
  const [program, ...args] = openerOf(env, platform)
  const child = spawn(program, [...args, address], { stdio: 'ignore', detached: true })
  child.unref()
  return Promise.race([once(child, 'spawn').then(() => true), once(child, 'error').then(() => false)]).catch(
    () => false,
  )
}

function openerOf({ BROWSER }: Environment, platform: NodeJS.Platform): [string, ...string[]] {
  if (BROWSER) return [BROWSER]
  if (platform === 'darwin') return ['open']
  // Not `cmd /c start`, which would read the address as a command.
  return platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler'] : ['xdg-open']
}
