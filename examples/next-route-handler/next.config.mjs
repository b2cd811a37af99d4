/** The package is loaded as it is installed: bundled, it would not know its own version. */
export default { serverExternalPackages: ["almoner"] }
