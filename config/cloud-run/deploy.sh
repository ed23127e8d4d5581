#!/usr/bin/env bash
# Deploys token-exchange on Cloud Run, with Firestore as its store, from a project of Firebase without anything else:
#
#   PROJECT=my-project REGION=europe-west3 config/cloud-run/deploy.sh
#
# The guide explains the steps ("Cloud Run") and has the same commands, which a test compares. Edit
# service.yaml first. It needs gcloud (as an owner of the project), git, docker, curl and jq: Cloud Shell has them. A step
# fails if something exists that it creates: to continue, run the remaining lines. main.tf makes the same with Terraform.
set -euo pipefail
cd "$(dirname "$0")/../.."
: "${PROJECT:?is the id of a project of Firebase}" "${REGION:?is a region of Cloud Run, such as europe-west3}"

# 1. The project
export CLOUDSDK_CORE_PROJECT="$PROJECT"
NUMBER=$(gcloud projects describe "$PROJECT" --format="value(projectNumber)")
ORIGIN=https://token-exchange-$NUMBER.$REGION.run.app
gcloud services enable artifactregistry.googleapis.com cloudbuild.googleapis.com cloudresourcemanager.googleapis.com \
  cloudscheduler.googleapis.com firebaserules.googleapis.com firestore.googleapis.com iam.googleapis.com \
  iamcredentials.googleapis.com identitytoolkit.googleapis.com run.googleapis.com secretmanager.googleapis.com
for ACCOUNT in token-exchange token-exchange-build token-exchange-migrate token-exchange-scheduler; do
  gcloud iam service-accounts create "$ACCOUNT"
done
echo "$ORIGIN/callback/yahoo.com"

# 2. The image
VERSION=$(git rev-parse --short HEAD)
IMAGE=$REGION-docker.pkg.dev/$PROJECT/token-exchange/token-exchange:$VERSION
gcloud artifacts repositories create token-exchange --repository-format=docker --location="$REGION"
gcloud projects add-iam-policy-binding "$PROJECT" --role=roles/cloudbuild.builds.builder --condition=None \
  --member="serviceAccount:token-exchange-build@$PROJECT.iam.gserviceaccount.com"
gcloud builds submit --config=config/cloud-run/build.yaml --substitutions=_IMAGE="$IMAGE" \
  --service-account="projects/$PROJECT/serviceAccounts/token-exchange-build@$PROJECT.iam.gserviceaccount.com" .

# 3. The database
gcloud firestore databases create --database=token-exchange --location="$REGION" --type=firestore-native \
  --delete-protection
rules() {
  curl --fail-with-body --silent --show-error "https://firebaserules.googleapis.com/v1/projects/$PROJECT/$1" --json @- \
    --header "X-Goog-User-Project: $PROJECT" --header @<(echo "Authorization: Bearer $(gcloud auth print-access-token)")
}
RULESET=$(jq --null-input --rawfile content config/cloud-run/firestore.rules \
  '{source: {files: [{name: "firestore.rules", $content}]}}' | rules rulesets | jq --raw-output .name)
jq --null-input --arg name "projects/$PROJECT/releases/cloud.firestore/token-exchange" --arg rulesetName "$RULESET" \
  '{$name, $rulesetName}' | rules releases

# 4. The identity of the server
SERVER=token-exchange@$PROJECT.iam.gserviceaccount.com
gcloud projects add-iam-policy-binding "$PROJECT" --role=roles/datastore.user --member="serviceAccount:$SERVER" \
  --condition="expression=resource.name==\"projects/$PROJECT/databases/token-exchange\",title=token-exchange"
gcloud iam service-accounts add-iam-policy-binding "$SERVER" --role=roles/iam.serviceAccountTokenCreator \
  --member="serviceAccount:$SERVER"

# 5. The secrets
gcloud auth configure-docker "$REGION-docker.pkg.dev" --quiet
for KEY in seal store; do
  docker run --rm "$IMAGE" keys create --only "$KEY" \
    | gcloud secrets create "token-exchange-$KEY-key" --replication-policy=automatic --data-file=-
done
read -rsp "The client secret of Yahoo: " SECRET
printf %s "$SECRET" | gcloud secrets create token-exchange-yahoo-secret --replication-policy=automatic \
  --data-file=-
for SECRET in seal-key store-key yahoo-secret; do
  gcloud secrets add-iam-policy-binding "token-exchange-$SECRET" --role=roles/secretmanager.secretAccessor \
    --member="serviceAccount:$SERVER"
done

# 6. The service
sed -e "s/PROJECT/$PROJECT/g" -e "s/NUMBER/$NUMBER/g" -e "s/REGION/$REGION/g" -e "s/VERSION/$VERSION/g" \
  config/cloud-run/service.yaml | gcloud run services replace - --region="$REGION"

# 7. The jobs
mkdir -p var
gcloud run services describe token-exchange --region="$REGION" --format=json \
  | jq '.spec.template.spec.containers[0].env | map({(.name): .value}) | add' > var/cloud-run.json
MIGRATION=token-exchange-migrate@$PROJECT.iam.gserviceaccount.com
gcloud projects add-iam-policy-binding "$PROJECT" --role=roles/datastore.owner --member="serviceAccount:$MIGRATION" \
  --condition=None
for SECRET in seal-key store-key yahoo-secret; do
  gcloud secrets add-iam-policy-binding "token-exchange-$SECRET" --role=roles/secretmanager.secretAccessor \
    --member="serviceAccount:$MIGRATION"
done
gcloud run jobs deploy token-exchange-migrate --image="$IMAGE" --args=migrate --env-vars-file=var/cloud-run.json \
  --service-account="$MIGRATION" --region="$REGION" --execute-now --wait
gcloud run jobs deploy token-exchange-doctor --image="$IMAGE" --args=doctor --env-vars-file=var/cloud-run.json \
  --service-account="$SERVER" --region="$REGION" --max-retries=0

# 8. Every night
SCHEDULER=token-exchange-scheduler@$PROJECT.iam.gserviceaccount.com
gcloud run jobs deploy token-exchange-sweep --image="$IMAGE" --args=sweep --env-vars-file=var/cloud-run.json \
  --service-account="$SERVER" --region="$REGION"
gcloud run jobs add-iam-policy-binding token-exchange-sweep --region="$REGION" --role=roles/run.invoker \
  --member="serviceAccount:$SCHEDULER"
gcloud scheduler jobs create http token-exchange-sweep --location="$REGION" --schedule="17 3 * * *" \
  --uri="https://run.googleapis.com/v2/projects/$PROJECT/locations/$REGION/jobs/token-exchange-sweep:run" \
  --http-method=POST --oauth-service-account-email="$SCHEDULER"
