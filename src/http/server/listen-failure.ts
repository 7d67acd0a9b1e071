/** Why a server cannot listen, with the setting to change. */
import { ConfigError } from '../../core/config.ts'
import { OperatorError } from '../../core/errors.ts'

/** `host` and `port` are the names of the settings. Other errors are returned as they are. */
export function listenFailure(error: unknown, host: string, port: string): unknown {
  const { code = '', message } = error as NodeJS.ErrnoException
  switch (code) {
    case 'EADDRINUSE':
      // Perhaps only until the process that uses it has ended, so a restart may help.
      return new OperatorError(`${message}. Choose another port with ${port}.`, { cause: error })
    case 'EAI_AGAIN':
      return new OperatorError(
        `The name in ${host} cannot be looked up (${code}). Check the name service, or set an address.`,
        {
          cause: error,
        },
      )
    case 'EADDRNOTAVAIL':
    case 'EAFNOSUPPORT':
    case 'EINVAL':
    case 'ENOTFOUND':
      return new ConfigError([
        `${host} is not an address of this machine (${code}). Set one that it has, or 0.0.0.0 for all.`,
      ])
    case 'EACCES':
    case 'EPERM':
      return new ConfigError([`${port} is a port that this user may not listen on (${code}). Set one from 1024 on.`])
    default:
      return error
  }
}
