# bash completion for credence; written by: credence help --complete bash
_credence_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur"); }
# The last of several words that are separated by commas.
_credence_list() {
  local before=
  [[ $cur == *,* ]] && before=${cur%,*},
  mapfile -t COMPREPLY < <(compgen -W "$1" -P "$before" -- "${cur##*,}")
  compopt -o nospace
}
_credence() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    _credence_words '--help --version evaluate doctor compare calibratability learned fit apply export plot report merge loss train train-confidence clamp predict trust data net list help'
    return
  fi
  local command=${COMP_WORDS[1]}
  case $command in
    data)
      if ((COMP_CWORD == 2)); then
        _credence_words '--help info'
        return
      fi
      command+=" ${COMP_WORDS[2]}"
      ;;
    net)
      if ((COMP_CWORD == 2)); then
        _credence_words '--help new info check run save cut'
        return
      fi
      command+=" ${COMP_WORDS[2]}"
      ;;
  esac
  case "$command $prev" in
    'evaluate --metrics' | 'evaluate -m') _credence_list 'all accuracy confidence ece mce ace rmsce rmsce-debiased aece ece-debiased smece kde-ece sce sce-sum sce-threshold tace oe ue over-part under-part overconfident-15 overconfident-100 ks kuiper skce spiegelhalter brier brier-top1 brier-binary brier-refinement brier-calibration brier-top1-refinement brier-top1-calibration brier-reliability brier-resolution brier-uncertainty brier-within-variance brier-within-covariance nll nll-top1 nll-refinement nll-calibration nll-reliability nll-resolution nll-uncertainty nll-within entropy auroc auroc-binary aupr-success aupr-error fpr95 aurc e-aurc e-aurc-finite rate-averaged-accuracy eq9-beta eq9-gamma eq9-rhs eq9-residual'; return ;;
    'evaluate --bins' | 'evaluate -b') return ;;
    'evaluate --resamples' | 'evaluate -r') return ;;
    'evaluate --interval') _credence_words 'corrected percentile'; return ;;
    'evaluate --recalibrate') _credence_words 'identity temperature temperature-fixed temperature-focal temperature-ece ensemble-temperature vector matrix matrix-odir dirichlet-odir structured-vector structured-matrix intra-order-preserving platt beta isotonic isotonic-joint histogram imax bbq spline scaling-binning venn-abers density-ratio'; return ;;
    'evaluate --cluster') return ;;
    'evaluate --labels' | 'evaluate -l') return ;;
    'evaluate --input' | 'evaluate -i') _credence_words 'auto logits probabilities'; return ;;
    'evaluate --binary') _credence_words 'top pos'; return ;;
    'evaluate --scores') return ;;
    'evaluate --label-key') return ;;
    'evaluate --label-column') return ;;
    'evaluate --columns') return ;;
    'evaluate --class-names') return ;;
    'evaluate --threads' | 'evaluate -j') return ;;
    'evaluate --fail-if') return ;;
    'evaluate --paired') return ;;
    'evaluate --shift') return ;;
    'evaluate --shift-rows') _credence_words 'auto paired independent'; return ;;
    'evaluate --group-by') return ;;
    'evaluate --compat') _credence_words 'torchmetrics netcal focal sklearn verified'; return ;;
    'evaluate --target-risk') return ;;
    'evaluate --target-coverage') return ;;
    'evaluate --guarantee') _credence_words 'held-out bootstrap'; return ;;
    'evaluate --accepted') return ;;
    'evaluate --state-out') return ;;
    'evaluate --first-row') return ;;
    'evaluate --html') return ;;
    'evaluate --title') return ;;
    'evaluate --output' | 'evaluate -o') return ;;
    'evaluate --digits') return ;;
    'doctor --labels' | 'doctor -l') return ;;
    'doctor --input' | 'doctor -i') _credence_words 'auto logits probabilities'; return ;;
    'doctor --binary') _credence_words 'top pos'; return ;;
    'doctor --scores') return ;;
    'doctor --label-key') return ;;
    'doctor --label-column') return ;;
    'doctor --columns') return ;;
    'doctor --class-names') return ;;
    'doctor --threads' | 'doctor -j') return ;;
    'doctor --output' | 'doctor -o') return ;;
    'compare --calibrate') return ;;
    'compare --test') return ;;
    'compare --split') return ;;
    'compare --folds') return ;;
    'compare --methods') return ;;
    'compare --model') return ;;
    'compare --batch') return ;;
    'compare --mean') return ;;
    'compare --std') return ;;
    'compare --output-name') return ;;
    'compare --tensor') return ;;
    'compare --size') return ;;
    'compare --split-seed') return ;;
    'compare --shift') return ;;
    'compare --floor') return ;;
    'compare --metrics' | 'compare -m') _credence_list 'all accuracy confidence ece mce ace rmsce rmsce-debiased aece ece-debiased smece kde-ece sce sce-sum sce-threshold tace oe ue over-part under-part overconfident-15 overconfident-100 ks kuiper skce spiegelhalter brier brier-top1 brier-binary brier-refinement brier-calibration brier-top1-refinement brier-top1-calibration brier-reliability brier-resolution brier-uncertainty brier-within-variance brier-within-covariance nll nll-top1 nll-refinement nll-calibration nll-reliability nll-resolution nll-uncertainty nll-within entropy auroc auroc-binary aupr-success aupr-error fpr95 aurc e-aurc e-aurc-finite rate-averaged-accuracy eq9-beta eq9-gamma eq9-rhs eq9-residual'; return ;;
    'compare --bins' | 'compare -b') return ;;
    'compare --resamples' | 'compare -r') return ;;
    'compare --target-risk') return ;;
    'compare --target-coverage') return ;;
    'compare --seed') return ;;
    'compare --repeats') return ;;
    'compare --cluster') return ;;
    'compare --labels' | 'compare -l') return ;;
    'compare --input' | 'compare -i') _credence_words 'auto logits probabilities'; return ;;
    'compare --binary') _credence_words 'top pos'; return ;;
    'compare --scores') return ;;
    'compare --label-key') return ;;
    'compare --label-column') return ;;
    'compare --columns') return ;;
    'compare --class-names') return ;;
    'compare --threads' | 'compare -j') return ;;
    'compare --html') return ;;
    'compare --title') return ;;
    'compare --output' | 'compare -o') return ;;
    'compare --digits') return ;;
    'calibratability --baseline') return ;;
    'calibratability --methods') return ;;
    'calibratability --split') return ;;
    'calibratability --sizes') return ;;
    'calibratability --draws') return ;;
    'calibratability --plot') return ;;
    'calibratability --bins' | 'calibratability -b') return ;;
    'calibratability --seed') return ;;
    'calibratability --cluster') return ;;
    'calibratability --labels' | 'calibratability -l') return ;;
    'calibratability --input' | 'calibratability -i') _credence_words 'auto logits probabilities'; return ;;
    'calibratability --binary') _credence_words 'top pos'; return ;;
    'calibratability --scores') return ;;
    'calibratability --label-key') return ;;
    'calibratability --label-column') return ;;
    'calibratability --columns') return ;;
    'calibratability --class-names') return ;;
    'calibratability --threads' | 'calibratability -j') return ;;
    'calibratability --output' | 'calibratability -o') return ;;
    'calibratability --digits') return ;;
    'learned --bins' | 'learned -b') return ;;
    'learned --plot') return ;;
    'learned --output' | 'learned -o') return ;;
    'learned --digits') return ;;
    'fit --set' | 'fit -s') return ;;
    'fit --compat') _credence_words 'gpleiss50 gpleiss200 netcal neural-clamping neural-clamping-sum kull2019'; return ;;
    'fit --floor') return ;;
    'fit --output' | 'fit -o') return ;;
    'fit --labels' | 'fit -l') return ;;
    'fit --input' | 'fit -i') _credence_words 'auto logits probabilities'; return ;;
    'fit --binary') _credence_words 'top pos'; return ;;
    'fit --scores') return ;;
    'fit --label-key') return ;;
    'fit --label-column') return ;;
    'fit --columns') return ;;
    'fit --class-names') return ;;
    'fit --seed') return ;;
    'fit --threads' | 'fit -j') return ;;
    'apply --output' | 'apply -o') return ;;
    'apply --dtype') _credence_words 'f64 f32'; return ;;
    'apply --labels' | 'apply -l') return ;;
    'apply --input' | 'apply -i') _credence_words 'auto logits probabilities'; return ;;
    'apply --binary') _credence_words 'top pos'; return ;;
    'apply --scores') return ;;
    'apply --label-key') return ;;
    'apply --label-column') return ;;
    'apply --columns') return ;;
    'apply --class-names') return ;;
    'apply --threads' | 'apply -j') return ;;
    'export --format' | 'export -f') _credence_words 'c onnx js sql numpy json'; return ;;
    'export --model' | 'export -m') return ;;
    'export --model-output') return ;;
    'export --name') return ;;
    'export --header') return ;;
    'export --output' | 'export -o') return ;;
    'plot --output' | 'plot -o') return ;;
    'plot --title' | 'plot -t') return ;;
    'plot --bins' | 'plot -b') return ;;
    'plot --resamples' | 'plot -r') return ;;
    'plot --rows') return ;;
    'plot --perplexity') return ;;
    'plot --calibrate') return ;;
    'plot --test') return ;;
    'plot --split') return ;;
    'plot --folds') return ;;
    'plot --methods') return ;;
    'plot --shift') return ;;
    'plot --seed') return ;;
    'plot --cluster') return ;;
    'plot --labels' | 'plot -l') return ;;
    'plot --input' | 'plot -i') _credence_words 'auto logits probabilities'; return ;;
    'plot --binary') _credence_words 'top pos'; return ;;
    'plot --scores') return ;;
    'plot --label-key') return ;;
    'plot --label-column') return ;;
    'plot --columns') return ;;
    'plot --class-names') return ;;
    'plot --threads' | 'plot -j') return ;;
    'report --output' | 'report -o') return ;;
    'report --title' | 'report -t') return ;;
    'merge --metrics' | 'merge -m') _credence_list 'all accuracy confidence ece mce ace rmsce rmsce-debiased aece ece-debiased smece kde-ece sce sce-sum sce-threshold tace oe ue over-part under-part overconfident-15 overconfident-100 ks kuiper skce spiegelhalter brier brier-top1 brier-binary brier-refinement brier-calibration brier-top1-refinement brier-top1-calibration brier-reliability brier-resolution brier-uncertainty brier-within-variance brier-within-covariance nll nll-top1 nll-refinement nll-calibration nll-reliability nll-resolution nll-uncertainty nll-within entropy auroc auroc-binary aupr-success aupr-error fpr95 aurc e-aurc e-aurc-finite rate-averaged-accuracy eq9-beta eq9-gamma eq9-rhs eq9-residual'; return ;;
    'merge --threads' | 'merge -j') return ;;
    'merge --fail-if') return ;;
    'merge --output' | 'merge -o') return ;;
    'merge --digits') return ;;
    'loss --reduction') _credence_words 'mean sum'; return ;;
    'loss --ignore-label') return ;;
    'loss --gradient' | 'loss -g') return ;;
    'loss --dtype') _credence_words 'f64 f32'; return ;;
    'loss --labels' | 'loss -l') return ;;
    'loss --input' | 'loss -i') _credence_words 'auto logits probabilities'; return ;;
    'loss --binary') _credence_words 'top pos'; return ;;
    'loss --scores') return ;;
    'loss --label-key') return ;;
    'loss --label-column') return ;;
    'loss --columns') return ;;
    'loss --class-names') return ;;
    'loss --threads' | 'loss -j') return ;;
    'loss --output' | 'loss -o') return ;;
    'train --output' | 'train -o') return ;;
    'train --validate') return ;;
    'train --network' | 'train -n') _credence_list 'mlp lenet5 cnn resnet8 resnet14 resnet20 resnet32 resnet44 resnet56 resnet110 wrn vgg16bn text-cnn head'; return ;;
    'train --model') return ;;
    'train --freeze') return ;;
    'train --head') return ;;
    'train --cache') return ;;
    'train --loss' | 'train -l') return ;;
    'train --epochs' | 'train -e') return ;;
    'train --batch' | 'train -b') return ;;
    'train --optimiser') _credence_list 'adamw adam sgd'; return ;;
    'train --rate') return ;;
    'train --weight-decay') return ;;
    'train --decay') _credence_words 'weights all'; return ;;
    'train --schedule') _credence_list 'cosine one-cycle step constant'; return ;;
    'train --warm-up') return ;;
    'train --clip') return ;;
    'train --augment') return ;;
    'train --mixup') return ;;
    'train --words') return ;;
    'train --length') return ;;
    'train --best') _credence_list 'all accuracy confidence ece mce ace rmsce rmsce-debiased aece ece-debiased smece kde-ece sce sce-sum sce-threshold tace oe ue over-part under-part overconfident-15 overconfident-100 ks kuiper skce spiegelhalter brier brier-top1 brier-binary brier-refinement brier-calibration brier-top1-refinement brier-top1-calibration brier-reliability brier-resolution brier-uncertainty brier-within-variance brier-within-covariance nll nll-top1 nll-refinement nll-calibration nll-reliability nll-resolution nll-uncertainty nll-within entropy auroc auroc-binary aupr-success aupr-error fpr95 aurc e-aurc e-aurc-finite rate-averaged-accuracy eq9-beta eq9-gamma eq9-rhs eq9-residual'; return ;;
    'train --patience') return ;;
    'train --monitor' | 'train -m') return ;;
    'train --learned') return ;;
    'train --logits') return ;;
    'train --size') return ;;
    'train --resize') _credence_words 'crop stretch'; return ;;
    'train --channels') _credence_words 'auto grey rgb'; return ;;
    'train --label-column') return ;;
    'train --label-map') return ;;
    'train --group-pattern') return ;;
    'train --split-seed') return ;;
    'train --seed') return ;;
    'train --save-every') return ;;
    'train --threads' | 'train -j') return ;;
    'train-confidence --output' | 'train-confidence -o') return ;;
    'train-confidence --validate') return ;;
    'train-confidence --tensor') return ;;
    'train-confidence --set' | 'train-confidence -s') return ;;
    'train-confidence --batch' | 'train-confidence -b') return ;;
    'train-confidence --mean') return ;;
    'train-confidence --std') return ;;
    'train-confidence --layout') _credence_words 'nchw nhwc'; return ;;
    'train-confidence --output-name') return ;;
    'train-confidence --threads' | 'train-confidence -j') return ;;
    'train-confidence --size') return ;;
    'train-confidence --resize') _credence_words 'crop stretch'; return ;;
    'train-confidence --channels') _credence_words 'auto grey rgb'; return ;;
    'train-confidence --label-column') return ;;
    'train-confidence --label-map') return ;;
    'train-confidence --group-pattern') return ;;
    'train-confidence --split-seed') return ;;
    'train-confidence --seed') return ;;
    'clamp --output' | 'clamp -o') return ;;
    'clamp --delta') return ;;
    'clamp --tensor') return ;;
    'clamp --set' | 'clamp -s') return ;;
    'clamp --recipe') _credence_words 'paper reference'; return ;;
    'clamp --select') _credence_words 'held-out in-sample'; return ;;
    'clamp --augment') return ;;
    'clamp --batch' | 'clamp -b') return ;;
    'clamp --mean') return ;;
    'clamp --std') return ;;
    'clamp --layout') _credence_words 'nchw nhwc'; return ;;
    'clamp --output-name') return ;;
    'clamp --threads' | 'clamp -j') return ;;
    'clamp --size') return ;;
    'clamp --resize') _credence_words 'crop stretch'; return ;;
    'clamp --channels') _credence_words 'auto grey rgb'; return ;;
    'clamp --label-column') return ;;
    'clamp --label-map') return ;;
    'clamp --group-pattern') return ;;
    'clamp --split-seed') return ;;
    'clamp --seed') return ;;
    'predict --output' | 'predict -o') return ;;
    'predict --features') return ;;
    'predict --clamp') return ;;
    'predict --batch' | 'predict -b') return ;;
    'predict --mean') return ;;
    'predict --std') return ;;
    'predict --layout') _credence_words 'nchw nhwc'; return ;;
    'predict --output-name') return ;;
    'predict --threads' | 'predict -j') return ;;
    'predict --size') return ;;
    'predict --resize') _credence_words 'crop stretch'; return ;;
    'predict --channels') _credence_words 'auto grey rgb'; return ;;
    'predict --label-column') return ;;
    'predict --label-map') return ;;
    'predict --group-pattern') return ;;
    'predict --split-seed') return ;;
    'trust --output' | 'trust -o') return ;;
    'trust --set' | 'trust -s') return ;;
    'trust --calibrate') return ;;
    'trust --model') return ;;
    'trust --tensor') return ;;
    'trust --batch' | 'trust -b') return ;;
    'trust --mean') return ;;
    'trust --std') return ;;
    'trust --layout') _credence_words 'nchw nhwc'; return ;;
    'trust --output-name') return ;;
    'trust --threads' | 'trust -j') return ;;
    'trust --size') return ;;
    'trust --resize') _credence_words 'crop stretch'; return ;;
    'trust --channels') _credence_words 'auto grey rgb'; return ;;
    'trust --label-column') return ;;
    'trust --label-map') return ;;
    'trust --group-pattern') return ;;
    'trust --split-seed') return ;;
    'data info --output' | 'data info -o') return ;;
    'data info --size') return ;;
    'data info --resize') _credence_words 'crop stretch'; return ;;
    'data info --channels') _credence_words 'auto grey rgb'; return ;;
    'data info --label-column') return ;;
    'data info --label-map') return ;;
    'data info --group-pattern') return ;;
    'data info --split-seed') return ;;
    'net new --classes' | 'net new -c') return ;;
    'net new --shape') return ;;
    'net new --words') return ;;
    'net new --seed') return ;;
    'net new --output' | 'net new -o') return ;;
    'net info --batch' | 'net info -b') return ;;
    'net info --shape') return ;;
    'net check --batch' | 'net check -b') return ;;
    'net check --shape') return ;;
    'net check --directions' | 'net check -d') return ;;
    'net check --tolerance') return ;;
    'net check --seed') return ;;
    'net check --threads' | 'net check -j') return ;;
    'net run --output' | 'net run -o') return ;;
    'net run --batch' | 'net run -b') return ;;
    'net run --mean') return ;;
    'net run --std') return ;;
    'net run --layout') _credence_words 'nchw nhwc'; return ;;
    'net run --output-name') return ;;
    'net run --threads' | 'net run -j') return ;;
    'net save --output' | 'net save -o') return ;;
    'net cut --output' | 'net cut -o') return ;;
    'help --complete') _credence_words 'bash zsh fish'; return ;;
  esac
  case $command in
    'evaluate')
      if [[ $cur == -* ]]; then
        _credence_words '--help --metrics --bins --resamples --interval --recalibrate --cluster --labels --input --binary --scores --label-key --label-column --columns --class-names --threads --fail-if --paired --shift --shift-rows --group-by --by-group --classes --compat --target-risk --target-coverage --guarantee --accepted --state-out --first-row --html --title --full --percent --json --csv --markdown --latex --output --quiet --digits --ascii'
      fi
      ;;
    'doctor')
      if [[ $cur == -* ]]; then
        _credence_words '--help --labels --input --binary --scores --label-key --label-column --columns --class-names --threads --strict --json --output --quiet --ascii'
      fi
      ;;
    'compare')
      if [[ $cur == -* ]]; then
        _credence_words '--help --calibrate --test --split --folds --methods --model --batch --winograd --scale --mean --std --output-name --tensor --size --split-seed --shift --floor --metrics --bins --resamples --target-risk --target-coverage --seed --repeats --cluster --labels --input --binary --scores --label-key --label-column --columns --class-names --threads --html --title --full --percent --json --csv --markdown --latex --output --quiet --digits --ascii'
      fi
      ;;
    'calibratability')
      if [[ $cur == -* ]]; then
        _credence_words '--help --baseline --methods --split --sizes --draws --plot --bins --seed --cluster --labels --input --binary --scores --label-key --label-column --columns --class-names --threads --json --csv --markdown --latex --output --quiet --digits --ascii'
      fi
      ;;
    'learned')
      if [[ $cur == -* ]]; then
        _credence_words '--help --bins --plot --json --csv --markdown --latex --output --quiet --digits --ascii'
      fi
      ;;
    'fit')
      if [[ $cur == -* ]]; then
        _credence_words '--help --set --compat --floor --output --labels --input --binary --scores --label-key --label-column --columns --class-names --seed --threads --json --quiet'
      else
        _credence_words 'identity temperature temperature-fixed temperature-focal temperature-ece ensemble-temperature vector matrix matrix-odir dirichlet-odir structured-vector structured-matrix intra-order-preserving platt beta isotonic isotonic-joint histogram imax bbq spline scaling-binning venn-abers density-ratio'
      fi
      ;;
    'apply')
      if [[ $cur == -* ]]; then
        _credence_words '--help --output --dtype --labels --input --binary --scores --label-key --label-column --columns --class-names --threads --json --quiet'
      fi
      ;;
    'export')
      if [[ $cur == -* ]]; then
        _credence_words '--help --format --model --model-output --name --float --header --output'
      fi
      ;;
    'plot')
      if [[ $cur == -* ]]; then
        _credence_words '--help --output --title --bins --resamples --rows --perplexity --calibrate --test --split --folds --methods --shift --seed --cluster --labels --input --binary --scores --label-key --label-column --columns --class-names --threads --quiet --ascii'
      else
        _credence_words 'reliability confidence comparison smooth density roc precision-recall risk-coverage bins temperature classes weights tsne training perturbation shift shift-methods calibration-size learned-epochs'
      fi
      ;;
    'report')
      if [[ $cur == -* ]]; then
        _credence_words '--help --output --title'
      fi
      ;;
    'merge')
      if [[ $cur == -* ]]; then
        _credence_words '--help --metrics --threads --fail-if --percent --json --csv --markdown --latex --output --quiet --digits --ascii'
      fi
      ;;
    'loss')
      if [[ $cur == -* ]]; then
        _credence_words '--help --reduction --ignore-label --allow-negative --gradient --dtype --labels --input --binary --scores --label-key --label-column --columns --class-names --threads --json --output --quiet'
      fi
      ;;
    'train')
      if [[ $cur == -* ]]; then
        _credence_words '--help --output --validate --network --model --freeze --head --cache --loss --epochs --batch --optimiser --rate --weight-decay --decay --schedule --warm-up --clip --augment --mixup --keep-last --keep-scale --words --length --best --patience --monitor --evaluate-train --learned --logits --allow-negative --size --resize --channels --skip-corrupt --label-column --label-map --group-pattern --split-seed --seed --save-every --resume --threads --json --quiet'
      fi
      ;;
    'train-confidence')
      if [[ $cur == -* ]]; then
        _credence_words '--help --output --validate --tensor --set --batch --scale --mean --std --layout --output-name --winograd --threads --size --resize --channels --skip-corrupt --label-column --label-map --group-pattern --split-seed --seed --json --quiet'
      fi
      ;;
    'clamp')
      if [[ $cur == -* ]]; then
        _credence_words '--help --output --delta --tensor --set --recipe --select --augment --batch --scale --mean --std --layout --output-name --winograd --threads --size --resize --channels --skip-corrupt --label-column --label-map --group-pattern --split-seed --seed --json --quiet'
      fi
      ;;
    'predict')
      if [[ $cur == -* ]]; then
        _credence_words '--help --output --features --clamp --batch --scale --mean --std --layout --output-name --winograd --threads --size --resize --channels --skip-corrupt --label-column --label-map --group-pattern --split-seed --json --quiet'
      fi
      ;;
    'trust')
      if [[ $cur == -* ]]; then
        _credence_words '--help --output --set --calibrate --model --tensor --batch --scale --mean --std --layout --output-name --winograd --threads --size --resize --channels --skip-corrupt --label-column --label-map --group-pattern --split-seed --json --quiet'
      fi
      ;;
    'data info')
      if [[ $cur == -* ]]; then
        _credence_words '--help --output --size --resize --channels --skip-corrupt --label-column --label-map --group-pattern --split-seed --json --quiet'
      fi
      ;;
    'net new')
      if [[ $cur == -* ]]; then
        _credence_words '--help --classes --shape --words --seed --output --json'
      fi
      ;;
    'net info')
      if [[ $cur == -* ]]; then
        _credence_words '--help --batch --shape --nodes --json'
      fi
      ;;
    'net check')
      if [[ $cur == -* ]]; then
        _credence_words '--help --batch --shape --directions --tolerance --seed --threads --json --quiet'
      fi
      ;;
    'net run')
      if [[ $cur == -* ]]; then
        _credence_words '--help --output --batch --scale --mean --std --layout --output-name --winograd --threads --json --quiet'
      fi
      ;;
    'net save')
      if [[ $cur == -* ]]; then
        _credence_words '--help --output'
      fi
      ;;
    'net cut')
      if [[ $cur == -* ]]; then
        _credence_words '--help --after --output'
      fi
      ;;
    'list')
      if [[ $cur == -* ]]; then
        _credence_words '--help --json --markdown'
      else
        _credence_words 'metrics methods losses networks optimisers schedules datasets augmentations corruptions clamp-settings confidence-settings exports forms figures operators formats findings conventions'
      fi
      ;;
    'help')
      if [[ $cur == -* ]]; then
        _credence_words '--help --man --complete'
      else
        _credence_words 'evaluate doctor compare calibratability learned fit apply export plot report merge loss train train-confidence clamp predict trust data net list help predictions'
      fi
      ;;
  esac
}
complete -o default -F _credence credence
