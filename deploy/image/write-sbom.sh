#!/bin/sh
# Writes sbom.json, the list of the installed packages in the form of CycloneDX. npm refuses to list a project
# whose other packages are not installed, so the list is made of a copy of package.json that names only the
# installed ones.
set -eu
cp package.json package.json.orig
mv package-lock.json package-lock.json.orig
node -e "
const used = fs.readdirSync('node_modules/@badge').map((name) => 'packages/' + name);
const manifest = JSON.parse(fs.readFileSync('package.json'));
Object.assign(manifest, { workspaces: used, dependencies: {}, devDependencies: {}, optionalDependencies: {} });
fs.writeFileSync('package.json', JSON.stringify(manifest));
"
npm sbom --omit=dev --sbom-format cyclonedx >sbom.part
mv package.json.orig package.json
mv package-lock.json.orig package-lock.json
# Without the random number and the time, equal sources have equal lists.
node -e "
const sbom = JSON.parse(fs.readFileSync('sbom.part'));
delete sbom.serialNumber;
delete sbom.metadata.timestamp;
fs.writeFileSync('sbom.json', JSON.stringify(sbom));
"
rm sbom.part
